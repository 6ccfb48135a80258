import { expect, it } from "vitest";
import { buildModel, parseNodeId } from "./canvas-model.ts";
import { sampleGraph } from "./testing/sample-graph.ts";

const graph = sampleGraph(
  [
    ["signup", "welcome", "mail"],
    ["billing", "paid", "notify"],
    ["billing", "paid", "ledger"],
    ["billing", "failed", "notify"],
  ],
  ["cleanup"],
);

it("a trigger with two targets is one node with two attachments", () => {
  const { triggers } = buildModel(graph);
  expect(triggers.find(({ slug }) => slug === "paid")?.attachments).toEqual([
    { attachmentId: "paid:ledger", target: "workflow:ledger", prompt: null },
    { attachmentId: "paid:notify", target: "workflow:notify", prompt: null },
  ]);
});

it("the order is by name and first use, independent of the response; targets without a trigger come last", () => {
  const inOrder = buildModel(graph);
  expect([inOrder.endpoints, inOrder.triggers, inOrder.targets].map((nodes) => nodes.map(({ id }) => id))).toEqual([
    ["endpoint:billing", "endpoint:signup"],
    ["trigger:failed", "trigger:paid", "trigger:welcome"],
    ["workflow:notify", "workflow:ledger", "workflow:mail", "workflow:cleanup"],
  ]);
  expect(buildModel({ triggers: graph.triggers.toReversed(), targets: graph.targets.toReversed() })).toEqual(inOrder);
});

it.each([
  ["endpoint:team/billing", { kind: "endpoint", id: "team/billing" }],
  ["workflow:x", { kind: "workflow", id: "x" }],
  ["script:x", null],
  ["trigger:", null],
  ["", null],
])("%s as a node of the URL", (text, node) => {
  expect(parseNodeId(text)).toEqual(node);
});
