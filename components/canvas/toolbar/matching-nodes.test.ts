import { expect, it } from "vitest";
import { buildModel, type TargetActivity } from "../../graph/canvas-model.ts";
import { filterKey, findShownIds, type Known, type NodeFilters } from "./matching-nodes.ts";
import { sampleGraph, sampleModel } from "../../graph/testing/sample-graph.ts";

const model = sampleModel([
  ["billing", "failed", "notify"],
  ["billing", "paid", "ledger"],
  ["billing", "paid", "notify"],
  ["signup", "welcome", "mail"],
]);
const target = (change: Partial<TargetActivity>): TargetActivity => ({
  target: { kind: "workflow", slug: "any" },
  runs: 0,
  isCapped: false,
  completed: 0,
  failed: 0,
  open: 0,
  p50Ms: null,
  lastRun: null,
  health: "unknown",
  waitingForApproval: 0,
  hasModelBeyondBuild: false,
  ...change,
});
const nothing: Known = { evidence: () => undefined, target: () => undefined };
const noFilters: NodeFilters = { endpoint: null, status: "all", q: "", node: null };
const idsFor = ({ known = nothing, ...filters }: Partial<NodeFilters> & { known?: Known }) =>
  [...(findShownIds(model, { ...noFilters, ...filters }, known) ?? [])].toSorted();

it("without a filter all nodes are shown", () => {
  expect(findShownIds(model, { ...noFilters, q: "  ", node: "trigger:paid" }, nothing)).toBeNull();
  expect(filterKey({ ...noFilters, q: "  ", node: "trigger:paid" })).toBe("");
});

it("an endpoint filter shows the nodes of that endpoint, and the opened node with its own, if they are others", () => {
  const signup = ["endpoint:signup", "trigger:welcome", "workflow:mail"];
  expect(idsFor({ endpoint: "signup" })).toEqual(signup);
  expect(idsFor({ endpoint: "signup", node: "workflow:mail" })).toEqual(signup);
  expect(idsFor({ endpoint: "signup", node: "trigger:failed" })).toEqual(
    ["endpoint:billing", "trigger:failed", "workflow:notify", ...signup].toSorted(),
  );
});

it("a matching trigger includes its endpoint and all its targets", () => {
  expect(idsFor({ q: "Paid" })).toEqual(["endpoint:billing", "trigger:paid", "workflow:ledger", "workflow:notify"]);
});

it("a matching target includes its triggers and endpoints, not their other targets", () => {
  expect(idsFor({ q: "ledger" })).toEqual(["endpoint:billing", "trigger:paid", "workflow:ledger"]);
});

it("an agent is found by tool, model and prompt, and includes its triggers", () => {
  const graph = sampleGraph([["tickets", "new-ticket", "triage"]]);
  const kind = "agent" as const;
  const prompt = { kind: "template" as const, text: "New ticket from {{ email }}" };
  const agent = {
    model: { provider: "openai.chat", modelId: "gpt-5-mini" },
    tools: [{ name: "refund", needsApproval: "always" as const }],
  };
  const withAgent = buildModel({
    ...graph,
    triggers: graph.triggers.map((node) => ({
      ...node,
      attachments: node.attachments.map((one) => ({ ...one, targetId: "agent:triage", prompt })),
    })),
    targets: graph.targets.map((node) => ({
      ...node,
      id: "agent:triage",
      target: { ...node.target, kind, agent },
    })),
  });
  for (const q of ["Refund", "gpt-5", "{{ email }}"])
    expect([q, [...(findShownIds(withAgent, { ...noFilters, q }, nothing) ?? [])].toSorted()]).toEqual([
      q,
      ["agent:triage", "endpoint:tickets", "trigger:new-ticket"],
    ]);
});

it("a matching endpoint includes its triggers and targets", () => {
  expect(idsFor({ q: "/triggers/signup" })).toEqual(["endpoint:signup", "trigger:welcome", "workflow:mail"]);
});

it("failing finds failed targets, stopped finds triggers that stopped deliveries, never finds unused ones", () => {
  const known: Known = {
    evidence: ([id]) => ({
      passed: id === "welcome:mail" ? 0 : 3,
      headers: 0,
      query: 0,
      request: 0,
      filter: id === "failed:notify" ? 2 : 0,
      disabled: 0,
    }),
    target: (id) => target({ failed: id === "workflow:mail" ? 1 : 0 }),
  };
  expect(idsFor({ status: "failing", known })).toEqual(["endpoint:signup", "trigger:welcome", "workflow:mail"]);
  expect(idsFor({ status: "stopped", known })).toEqual(["endpoint:billing", "trigger:failed", "workflow:notify"]);
  expect(idsFor({ status: "never", known })).toContain("trigger:welcome");
});

it("a node without loaded data has no status", () => {
  expect(idsFor({ status: "never" })).toEqual([]);
});

it("text and status must both match", () => {
  const known: Known = { ...nothing, target: () => target({ open: 1 }) };
  expect(idsFor({ q: "welcome", status: "running", known })).toEqual([
    "endpoint:signup",
    "trigger:welcome",
    "workflow:mail",
  ]);
});
