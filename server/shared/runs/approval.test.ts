import { expect, it } from "vitest";
import { runStatusSchema } from "../../contract/run.ts";
import { canDecide, planDecision } from "./approval.ts";

const decision = { isApproved: true, reason: null, by: "Ada" };
const request = { toolCallId: "c1", toolName: "refund", input: { id: 1 } };
const step = (given: { finishedAt?: number; otherPending?: number } = {}) => ({
  name: "approval 1.1 refund",
  finishedAt: null,
  result: { request, usedMs: 5 },
  otherPending: 0,
  ...given,
});

it("only a pending approval of a waiting run can be decided", () => {
  expect(runStatusSchema.options.filter((status) => canDecide({ status, decidedAt: null }))).toEqual(["waiting"]);
  expect(canDecide({ status: "waiting", decidedAt: 5 })).toBe(false);
  expect(planDecision({ status: "running", attempt: 1 }, step(), { decision, now: 9 })).toBeNull();
  expect(planDecision({ status: "waiting", attempt: 1 }, step({ finishedAt: 5 }), { decision, now: 9 })).toBeNull();
});

it("a decision ends the step, keeps the rest of its result, and appears in the timeline", () => {
  expect(planDecision({ status: "waiting", attempt: 2 }, step(), { decision, now: 9 })).toEqual({
    step: { finishedAt: 9, result: { request, usedMs: 5, decision } },
    entry: { at: 9, kind: "approval_decided", attempt: 2, name: "approval 1.1 refund", data: decision },
    isDue: true,
  });
});

it("the run is due only after its last pending approval", () => {
  const plans = [1, 0].map((otherPending) =>
    planDecision({ status: "waiting", attempt: 1 }, step({ otherPending }), { decision, now: 9 }),
  );
  expect(plans.map((plan) => plan?.isDue)).toEqual([false, true]);
});
