import { AssertionError } from "node:assert";
import { expect, it } from "vitest";
import { assertCompletes, assertFails, assertFires, assertSkips } from "./matchers.ts";
import type { TestDelivery, TestRun } from "./project.ts";

const target = { kind: "workflow", slug: "work" } as const;
const reason = { pointer: "/action", code: "invalid_value", message: "Must be opened", expected: null, actual: null };
const delivery: TestDelivery = {
  id: "dlv_1",
  endpoint: "github",
  status: 202,
  response: {},
  outcome: "accepted",
  verdicts: [
    { trigger: "issue", target, outcome: "matched", reasons: [] },
    { trigger: "ci", target, outcome: "filter_mismatch", reasons: [reason] },
  ],
  runs: [{ id: "run_1", trigger: "issue", target }],
  woke: [],
  problem: null,
};
const run: TestRun = {
  id: "run_1",
  status: "completed",
  trigger: "issue",
  target,
  deliveryId: "dlv_1",
  failureOf: null,
  childOf: null,
  key: null,
  attempt: 1,
  input: {},
  output: { a: 1 },
  error: null,
  createdAt: "2026-01-01T00:00:00.000Z",
  finishedAt: "2026-01-01T00:00:00.000Z",
  steps: [{ kind: "step", name: "charge", tries: 1, isDone: true, result: { id: 7 } }],
  logs: [],
  toolCalls: [],
  approvals: [],
  onFailure: null,
  children: [],
};
const failed: TestRun = {
  ...run,
  status: "failed",
  output: null,
  error: { name: "RangeError", message: "card declined", stack: null },
};

function messageOf(assertion: () => void): string {
  try {
    assertion();
  } catch (error) {
    return error instanceof AssertionError ? error.message : "another error";
  }
  return "passed";
}

it("assertFires passes for the triggers that have started a run", () => {
  assertFires(delivery);
  assertFires(delivery, "issue");
  expect(messageOf(() => assertFires(delivery, "issue", "ci"))).toBe(
    "Expected the delivery to github to fire issue and ci.\n\nIt was accepted (202).\n  issue: matched\n  ci: filter_mismatch\n    /action: Must be opened",
  );
});

it("assertFires fails for a trigger without a target, which matched and starts no run", () => {
  const waking = {
    ...delivery,
    verdicts: [{ trigger: "shipped", target: null, outcome: "matched" as const, reasons: [] }],
  };
  expect(messageOf(() => assertFires({ ...waking, runs: [] }, "shipped"))).toContain(
    "  shipped: matched, starts no run",
  );
});

it("assertSkips passes for the triggers that did not match, for this reason", () => {
  assertSkips(delivery, "ci");
  assertSkips(delivery, "ci", "/action");
  assertSkips({ ...delivery, outcome: "skipped", runs: [] });
  expect(messageOf(() => assertSkips(delivery, "ci", "/issue"))).toContain("to skip ci because of /issue");
  expect(messageOf(() => assertSkips(delivery, "issue"))).toContain("to skip issue");
  expect(messageOf(() => assertSkips(delivery, "unknown"))).toContain("to skip unknown");
  expect(messageOf(() => assertSkips(delivery))).toContain("to skip every trigger");
});

it("a rejected delivery is explained by its problem", () => {
  const problem = { code: "invalid_signature", title: "Invalid signature", detail: "The header is missing." };
  const rejected: TestDelivery = { ...delivery, status: 401, outcome: "rejected", verdicts: [], runs: [], problem };
  expect(messageOf(() => assertFires(rejected, "issue"))).toContain(
    "It was rejected (401).\n  Invalid signature: The header is missing.\n  Pass { sign: true } to sign the request.",
  );
});

it("assertCompletes passes for a completed run, with this output", () => {
  assertCompletes(run);
  assertCompletes(run, { a: 1 });
  expect(messageOf(() => assertCompletes(run, { a: 2 }))).toBe(
    'Expected the run of work to complete with {"a":2}.\n\nrun_1 is completed.\n  output: {"a":1}\n  step charge: {"id":7}',
  );
  expect(messageOf(() => assertCompletes(failed))).toContain("RangeError: card declined");
});

it("assertFails passes for a failed run, with this name or part of the message", () => {
  for (const error of [undefined, "RangeError", "declined"]) assertFails(failed, error);
  assertFails({ ...failed, status: "timed_out" });
  expect(messageOf(() => assertFails(failed, "TypeError"))).toContain("to fail with TypeError");
  expect(messageOf(() => assertFails(run))).toContain("to fail");
});

const check = (assertion: (subject: never) => void, subject: unknown) => () => assertion(subject as never);

it("a value that is no delivery or no run is named, with the call that is missing", () => {
  expect(check(assertFires, Promise.resolve(delivery))).toThrow(
    "toFire needs a delivery, which `await app.deliver(…)` returns, but got a promise: write `await` before the call.",
  );
  expect(check(assertSkips, run)).toThrow(
    "toSkip needs a delivery, which `await app.deliver(…)` returns, but got a run.",
  );
  expect(check(assertCompletes, delivery)).toThrow("but got a delivery: call `settle` first.");
  expect(check(assertFails, undefined)).toThrow("but got undefined.");
});
