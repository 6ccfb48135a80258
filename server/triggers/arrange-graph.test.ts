import { expect, it } from "vitest";
import { arrangeGraph, type GraphAttachment, type GraphTarget } from "./arrange-graph.ts";

const attachments = [
  ["signup", "welcome", "mail"],
  ["billing", "paid", "notify"],
  ["billing", "paid", "ledger"],
  ["billing", "failed", "notify"],
].map(([endpoint = "", slug = "", target = ""]): GraphAttachment => ({
  attachmentId: `${slug}:${target}`,
  slug,
  source: { kind: "webhook", endpoint, methods: endpoint === "billing" ? ["GET", "POST"] : ["GET"] },
  target: { kind: "workflow", slug: target },
  file: `triggers/${slug}.ts`,
  hasTransform: false,
  hasFilter: true,
  fieldParts: [],
  conditions: [],
  prompt: null,
}));
const targets = ["mail", "notify", "ledger", "cleanup"].map((slug): GraphTarget => ({
  kind: "workflow",
  slug,
  file: `workflows/${slug}.ts`,
  agent: null,
}));

it("a trigger with two targets is one node with two attachments", () => {
  const paid = arrangeGraph(attachments, targets).triggers.find(({ slug }) => slug === "paid");
  expect(paid?.attachments.map(({ attachmentId, targetId }) => [attachmentId, targetId])).toEqual([
    ["paid:ledger", "workflow:ledger"],
    ["paid:notify", "workflow:notify"],
  ]);
  expect(paid).toMatchObject({ attachmentIds: ["paid:ledger", "paid:notify"], files: ["triggers/paid.ts"] });
});

it("the source of a webhook has its endpoint, with the methods of its triggers", () => {
  const { sources } = arrangeGraph(attachments, targets);
  expect(sources.map(({ label, source }) => [label, source.kind, source.methods])).toEqual([
    ["/triggers/billing", "webhook", ["GET", "POST"]],
    ["/triggers/signup", "webhook", ["GET"]],
  ]);
});

it("the order is by name and first use, independent of the manifest; targets without a trigger come last", () => {
  const inOrder = arrangeGraph(attachments, targets);
  expect([inOrder.sources, inOrder.triggers, inOrder.targets].map((nodes) => nodes.map(({ id }) => id))).toEqual([
    ["endpoint:billing", "endpoint:signup"],
    ["trigger:failed", "trigger:paid", "trigger:welcome"],
    ["workflow:notify", "workflow:ledger", "workflow:mail", "workflow:cleanup"],
  ]);
  expect(arrangeGraph(attachments.toReversed(), targets.toReversed())).toEqual(inOrder);
});

it("a trigger without a target is a node that starts no target", () => {
  const [paid] = attachments.filter(({ attachmentId }) => attachmentId === "paid:ledger");
  const waking = paid && { ...paid, attachmentId: "paid", target: null };
  const { triggers, targets: arranged } = arrangeGraph(waking ? [waking] : [], targets);
  expect(triggers).toMatchObject([{ id: "trigger:paid", sourceId: "endpoint:billing", attachmentIds: ["paid"] }]);
  expect(triggers[0]?.attachments).toMatchObject([{ attachmentId: "paid", target: null, targetId: null }]);
  expect(arranged.flatMap((target) => target.triggers)).toEqual([]);
});
