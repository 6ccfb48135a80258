import { expect, it } from "vitest";
import { layoutColumns } from "./column-layout.ts";
import { sampleModel } from "./testing/sample-graph.ts";
import { visibleGraph } from "./visible-graph.ts";
import { type Step, walk } from "./walk.ts";

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
