import { expect, it } from "vitest";
import { layoutColumns } from "../layout/layout.ts";
import { sampleModel } from "./testing/sample-graph.ts";
import { type Step, visibleGraph, walk } from "./visible-graph.ts";

const graph = visibleGraph(
  sampleModel([
    ["billing", "failed", "notify"],
    ["billing", "paid", "ledger"],
    ["signup", "welcome", "mail"],
  ]),
  { endpoint: null, collapsed: new Set(), opened: null },
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
  const { nodes, edges } = visibleGraph(model, { endpoint: null, collapsed: new Set(), opened: null });
  expect(ids(nodes)).toContain("workflow:cleanup");
  expect(nodes).toHaveLength(2 + 4 + 4);
  expect(edges).toHaveLength(4 + 4);
});

it("an endpoint filter shows only the nodes of that endpoint", () => {
  const { nodes } = visibleGraph(model, { endpoint: "signup", collapsed: new Set(), opened: null });
  expect(ids(nodes)).toEqual(["endpoint:signup", "trigger:welcome", "workflow:mail"]);
});

it("the opened node is shown with its endpoint, despite the filter", () => {
  const ofSignup = { endpoint: "signup", collapsed: new Set<string>() };
  expect(ids(visibleGraph(model, { ...ofSignup, opened: "trigger:paid" }).nodes)).toEqual([
    "endpoint:billing",
    "trigger:failed",
    "trigger:large",
    "trigger:paid",
    "endpoint:signup",
    "trigger:welcome",
    "workflow:notify",
    "workflow:ledger",
    "workflow:mail",
  ]);
  expect(ids(visibleGraph(model, { ...ofSignup, opened: "workflow:cleanup" }).nodes)).toEqual([
    "endpoint:signup",
    "trigger:welcome",
    "workflow:mail",
    "workflow:cleanup",
  ]);
});

it("a collapsed endpoint has one edge per target, with all its attachments", () => {
  const { nodes, edges } = visibleGraph(model, {
    endpoint: "billing",
    collapsed: new Set(["endpoint:billing"]),
    opened: null,
  });
  expect(ids(nodes)).toEqual(["endpoint:billing", "workflow:notify", "workflow:ledger"]);
  expect(edges.map(({ target, attachments, kind }) => [target, attachments, kind])).toEqual([
    ["workflow:notify", ["failed:notify", "large:notify"], "summary"],
    ["workflow:ledger", ["paid:ledger"], "summary"],
  ]);
});
