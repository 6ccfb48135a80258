import { expect, it } from "vitest";
import type { TargetActivity } from "./answers.ts";
import { buildModel } from "./build-model.ts";
import { type CanvasStatus, type Known, keptNodes } from "./kept-nodes.ts";
import { sampleGraph, sampleModel } from "./testing/sample-graph.ts";

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
const kept = (change: { text?: string; status?: CanvasStatus; known?: Known }) =>
  [...(keptNodes(model, { text: "", status: "all", known: nothing, ...change }) ?? [])].toSorted();

it("without a filter nothing is dimmed", () => {
  expect(keptNodes(model, { text: "  ", status: "all", known: nothing })).toBeNull();
});

it("a trigger stays with its endpoint and all its targets", () => {
  expect(kept({ text: "Paid" })).toEqual(["endpoint:billing", "trigger:paid", "workflow:ledger", "workflow:notify"]);
});

it("a target stays with what leads to it, not with what else that starts", () => {
  expect(kept({ text: "ledger" })).toEqual(["endpoint:billing", "trigger:paid", "workflow:ledger"]);
});

it("an agent is found by a tool, by its model, and by what it is asked, and keeps what leads to it", () => {
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
    expect([text, [...(keptNodes(withAgent, { text, status: "all", known: nothing }) ?? [])].toSorted()]).toEqual([
      text,
      ["agent:triage", "endpoint:tickets", "trigger:new-ticket"],
    ]);
});

it("an endpoint stays with everything on it", () => {
  expect(kept({ text: "/triggers/signup" })).toEqual(["endpoint:signup", "trigger:welcome", "workflow:mail"]);
});

it("failing finds targets that failed, stopped finds triggers that stopped something, never what never was", () => {
  const known: Known = {
    evidence: (id) => ({
      passed: id === "trigger:welcome" ? 0 : 3,
      request: 0,
      filter: id === "trigger:failed" ? 2 : 0,
      disabled: 0,
    }),
    target: (id) => target({ failed: id === "workflow:mail" ? 1 : 0 }),
  };
  expect(kept({ status: "failing", known })).toEqual(["endpoint:signup", "trigger:welcome", "workflow:mail"]);
  expect(kept({ status: "stopped", known })).toEqual(["endpoint:billing", "trigger:failed", "workflow:notify"]);
  expect(kept({ status: "never", known })).toContain("trigger:welcome");
});

it("what is not known yet has no status", () => {
  expect(kept({ status: "never" })).toEqual([]);
});

it("text and status both must hold", () => {
  const known: Known = { ...nothing, target: () => target({ open: 1 }) };
  expect(kept({ text: "welcome", status: "running", known })).toEqual([
    "endpoint:signup",
    "trigger:welcome",
    "workflow:mail",
  ]);
});
