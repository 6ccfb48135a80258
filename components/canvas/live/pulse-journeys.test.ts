import { expect, it } from "vitest";
import { journeysOf } from "./pulse-journeys.ts";
import { sampleModel } from "../../graph/testing/sample-graph.ts";
import { visibleGraph } from "../../graph/visible-graph.ts";

const model = sampleModel([
  ["billing", "paid", "ledger"],
  ["billing", "paid", "notify"],
  ["billing", "failed", "notify"],
]);
const pulse = { endpoint: "billing", matched: ["paid:ledger", "paid:notify"], stopped: ["failed:notify"] };

it("a delivery enters each trigger once, continues to the targets on a match, and turns back on a mismatch", () => {
  const graph = visibleGraph(model, { shownIds: null, folds: new Set() });
  expect(journeysOf(graph, [pulse], 10)).toEqual([
    {
      first: "endpoint:billing>trigger:paid",
      onward: ["trigger:paid>workflow:ledger", "trigger:paid>workflow:notify"],
      isStopped: false,
    },
    { first: "endpoint:billing>trigger:failed", onward: [], isStopped: true },
  ]);
});

it("from a collapsed endpoint it goes directly to the targets, and stopped deliveries are not shown", () => {
  const graph = visibleGraph(model, { shownIds: null, folds: new Set(["endpoint:billing"]) });
  expect(journeysOf(graph, [pulse], 10).map(({ first, isStopped }) => [first, isStopped])).toEqual([
    ["endpoint:billing>workflow:ledger", false],
    ["endpoint:billing>workflow:notify", false],
  ]);
});

it("the number of journeys is limited", () => {
  const graph = visibleGraph(model, { shownIds: null, folds: new Set() });
  expect(
    journeysOf(
      graph,
      Array.from({ length: 50 }, () => pulse),
      7,
    ),
  ).toHaveLength(7);
});
