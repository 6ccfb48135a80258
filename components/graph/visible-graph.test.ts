import { expect, it } from "vitest";
import { layoutColumns } from "../canvas/layout/layout.ts";
import { largeModel, sampleModel } from "./testing/sample-graph.ts";
import { edgesOf, type Step, visibleGraph, walk } from "./visible-graph.ts";

const graph = visibleGraph(
  sampleModel([
    ["billing", "failed", "notify"],
    ["billing", "paid", "ledger"],
    ["signup", "welcome", "mail"],
  ]),
  { shownIds: null, folds: new Set() },
);
const layout = layoutColumns(graph);

it.each([
  ["endpoint:billing", "ArrowDown", "endpoint:signup"],
  ["endpoint:signup", "ArrowRight", "trigger:welcome"],
  ["trigger:welcome", "ArrowUp", "trigger:paid"],
  ["trigger:paid", "ArrowRight", "workflow:ledger"],
  ["workflow:ledger", "ArrowLeft", "trigger:paid"],
  ["endpoint:billing", "ArrowLeft", null],
  ["endpoint:billing", "ArrowUp", null],
] as const)("from %s, %s leads to %s", (from, step: Step, to) => {
  expect(walk(graph, { from, step, layout })).toBe(to);
});

const model = sampleModel(
  [
    ["billing", "failed", "notify"],
    ["billing", "large", "notify"],
    ["billing", "paid", "ledger"],
    ["signup", "welcome", "mail"],
  ],
  ["cleanup"],
);
const ids = (nodes: readonly { id: string }[]) => nodes.map(({ id }) => id);

it("without filters all nodes are shown, including targets without a trigger", () => {
  const { nodes, edges } = visibleGraph(model, { shownIds: null, folds: new Set() });
  expect(ids(nodes)).toContain("workflow:cleanup");
  expect(nodes).toHaveLength(2 + 4 + 4);
  expect(edges).toHaveLength(4 + 4);
});

it("a filter leaves only its nodes, and the edges between them", () => {
  const shownIds = new Set(["endpoint:billing", "trigger:failed", "workflow:notify"]);
  const { nodes, edges } = visibleGraph(model, { shownIds, folds: new Set() });
  expect(ids(nodes)).toEqual([...shownIds]);
  expect(ids(edges)).toEqual(["endpoint:billing>trigger:failed", "trigger:failed>workflow:notify"]);
});

it("a collapsed endpoint has one edge per target, with all its attachments", () => {
  const shownIds = new Set(ids([...model.byId.values()]).filter((id) => !/signup|welcome|mail|cleanup/.test(id)));
  const { nodes, edges } = visibleGraph(model, { shownIds, folds: new Set(["endpoint:billing"]) });
  expect(ids(nodes)).toEqual(["endpoint:billing", "workflow:notify", "workflow:ledger"]);
  expect(edges.map(({ target, attachments, kind }) => [target, attachments, kind])).toEqual([
    ["workflow:notify", ["failed:notify", "large:notify"], "summary"],
    ["workflow:ledger", ["paid:ledger"], "summary"],
  ]);
});

it("above 100 triggers, endpoints are collapsed until the user decides, and a filter that leaves fewer expands them", () => {
  const small = largeModel(100);
  const large = largeModel(101);
  const shownIds = new Set(["endpoint:e00000", ...(large.sources[0]?.triggers ?? [])]);
  const view = (of: typeof large, options: Partial<Parameters<typeof visibleGraph>[1]> = {}) => {
    const { collapsed, isLarge } = visibleGraph(of, { shownIds: null, folds: null, ...options });
    return [collapsed.size, isLarge];
  };
  expect(view(small)).toEqual([0, false]);
  expect(view(large)).toEqual([34, true]);
  expect(view(large, { folds: new Set() })).toEqual([0, true]);
  expect(view(large, { shownIds })).toEqual([0, false]);
});

it.each([
  [
    "endpoint:billing",
    [
      "endpoint:billing>trigger:failed",
      "trigger:failed>workflow:notify",
      "endpoint:billing>trigger:paid",
      "trigger:paid>workflow:ledger",
    ],
  ],
  ["trigger:paid", ["endpoint:billing>trigger:paid", "trigger:paid>workflow:ledger"]],
  ["workflow:notify", ["endpoint:billing>trigger:failed", "trigger:failed>workflow:notify"]],
])("the edges of %s reach from its endpoint to its targets", (id, expected) => {
  expect([...edgesOf(graph, new Set([id]))]).toEqual(expected);
});

it("a trigger without a target has no edge to one", () => {
  const waking = sampleModel([
    ["orders", "new-order", "fulfil"],
    ["orders", "shipped", null],
  ]);
  const edgesWith = (folds: ReadonlySet<string>) => ids(visibleGraph(waking, { shownIds: null, folds }).edges);
  expect(edgesWith(new Set())).toEqual([
    "endpoint:orders>trigger:new-order",
    "trigger:new-order>workflow:fulfil",
    "endpoint:orders>trigger:shipped",
  ]);
  expect(edgesWith(new Set(["endpoint:orders"]))).toEqual(["endpoint:orders>workflow:fulfil"]);
});
