import { expect, it } from "vitest";
import { journeysOf } from "./journeys.ts";
import { sampleModel } from "./testing/sample-graph.ts";
import { visibleGraph } from "./visible-graph.ts";

const model = sampleModel([
  ["billing", "paid", "ledger"],
  ["billing", "paid", "notify"],
  ["billing", "failed", "notify"],
]);
const pulse = { endpoint: "billing", matched: ["paid:ledger", "paid:notify"], stopped: ["failed:notify"] };

it("a delivery enters each trigger once, goes on to its targets where it matched, and turns where it did not", () => {
  const graph = visibleGraph(model, { endpoint: null, collapsed: new Set(), opened: null });
  expect(journeysOf(graph, [pulse], 10)).toEqual([
    {
      first: "endpoint:billing>trigger:paid",
      onward: ["trigger:paid>workflow:ledger", "trigger:paid>workflow:notify"],
      isStopped: false,
    },
    { first: "endpoint:billing>trigger:failed", onward: [], isStopped: true },
  ]);
});

it("over a folded endpoint it goes straight to the targets, and what was stopped does not set out", () => {
  const graph = visibleGraph(model, { endpoint: null, collapsed: new Set(["endpoint:billing"]), opened: null });
  expect(journeysOf(graph, [pulse], 10).map(({ first, isStopped }) => [first, isStopped])).toEqual([
    ["endpoint:billing>workflow:ledger", false],
    ["endpoint:billing>workflow:notify", false],
  ]);
});

it("however much arrives, no more than the limit sets out", () => {
  const graph = visibleGraph(model, { endpoint: null, collapsed: new Set(), opened: null });
  expect(
    journeysOf(
      graph,
      Array.from({ length: 50 }, () => pulse),
      7,
    ),
  ).toHaveLength(7);
});
