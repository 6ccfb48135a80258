import { expect, it } from "vitest";
import { buildModel, type TargetActivity } from "../model/canvas-model.ts";
import { type CanvasStatus, type Known, findMatchingIds } from "./matching-nodes.ts";
import { sampleGraph, sampleModel } from "../model/testing/sample-graph.ts";

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
  ...change,
});
const nothing: Known = { evidence: () => undefined, target: () => undefined };
const idsFor = (change: { text?: string; status?: CanvasStatus; known?: Known }) =>
  [...(findMatchingIds(model, { text: "", status: "all", known: nothing, ...change }) ?? [])].toSorted();

it("without a filter all nodes match", () => {
  expect(findMatchingIds(model, { text: "  ", status: "all", known: nothing })).toBeNull();
});

it("a matching trigger includes its endpoint and all its targets", () => {
  expect(idsFor({ text: "Paid" })).toEqual(["endpoint:billing", "trigger:paid", "workflow:ledger", "workflow:notify"]);
});

it("a matching target includes its triggers and endpoints, not their other targets", () => {
  expect(idsFor({ text: "ledger" })).toEqual(["endpoint:billing", "trigger:paid", "workflow:ledger"]);
});

it("an agent is found by tool, model and prompt, and includes its triggers", () => {
  const [trigger] = sampleGraph([["tickets", "new-ticket", "triage"]]).triggers;
  const [workflow] = sampleGraph([["tickets", "new-ticket", "triage"]]).targets;
  if (!trigger || !workflow) throw new Error("the sample is empty");
  const target = { kind: "agent" as const, slug: "triage" };
  const agent = {
    model: { provider: "openai.chat", modelId: "gpt-5-mini" },
    tools: [{ name: "refund", needsApproval: "always" as const }],
  };
  const withAgent = buildModel({
    triggers: [{ ...trigger, target, prompt: { kind: "template", text: "New ticket from {{ email }}" } }],
    targets: [{ ...workflow, ...target, agent }],
  });
  for (const text of ["Refund", "gpt-5", "{{ email }}"])
    expect([text, [...(findMatchingIds(withAgent, { text, status: "all", known: nothing }) ?? [])].toSorted()]).toEqual(
      [text, ["agent:triage", "endpoint:tickets", "trigger:new-ticket"]],
    );
});

it("a matching endpoint includes its triggers and targets", () => {
  expect(idsFor({ text: "/triggers/signup" })).toEqual(["endpoint:signup", "trigger:welcome", "workflow:mail"]);
});

it("failing finds failed targets, stopped finds triggers that stopped deliveries, never finds unused ones", () => {
  const known: Known = {
    evidence: (id) => ({
      passed: id === "trigger:welcome" ? 0 : 3,
      headers: 0,
      request: 0,
      filter: id === "trigger:failed" ? 2 : 0,
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
  expect(idsFor({ text: "welcome", status: "running", known })).toEqual([
    "endpoint:signup",
    "trigger:welcome",
    "workflow:mail",
  ]);
});
