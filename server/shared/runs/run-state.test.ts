import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type RunStatus, runStatusSchema } from "../../contract/run.ts";
import { canResume, isEnded, mayBecome, openStatuses, planCancel, resolveTransition } from "./run-state.ts";

const statuses = fc.constantFrom(...runStatusSchema.options);
const now = 9;

const resumable = (replayedAs: string | null) =>
  runStatusSchema.options.filter((status) => canResume({ status, replayedAs }));

describe("run states", () => {
  it("completed and canceled never change, and a failed run changes only by a resume", () => {
    fc.assert(
      fc.property(fc.array(statuses, { maxLength: 30 }), (wishes) => {
        const path: RunStatus[] = ["queued"];
        for (const wish of wishes)
          path.push(mayBecome(path.at(-1) ?? "queued", wish) ? wish : (path.at(-1) ?? "queued"));
        const end = path.findIndex((status) => status === "completed" || status === "canceled");
        expect(new Set(end === -1 ? [] : path.slice(end)).size).toBeLessThanOrEqual(1);
      }),
    );
    const afterEnd = runStatusSchema.options
      .filter(isEnded)
      .flatMap((from) => runStatusSchema.options.filter((to) => mayBecome(from, to)).map((to) => [from, to]));
    expect(afterEnd).toEqual([
      ["failed", "queued"],
      ["timed_out", "queued"],
    ]);
  });

  it("a run can be resumed if it failed or timed out, and has no replay", () => {
    expect(resumable(null)).toEqual(["failed", "timed_out"]);
    expect(resumable("run_2")).toEqual([]);
    expect(resumable(null).every((status) => mayBecome(status, "queued"))).toBe(true);
  });

  it("exactly completed, failed, canceled and timed_out are ends", () => {
    expect(runStatusSchema.options.filter(isEnded)).toEqual(["completed", "failed", "canceled", "timed_out"]);
    expect(runStatusSchema.options.filter((status) => !isEnded(status))).toEqual(openStatuses);
  });

  it("only a running run completes, fails or times out, and only a queued or waiting one starts", () => {
    for (const to of ["completed", "failed", "timed_out"] as const)
      expect(runStatusSchema.options.filter((from) => mayBecome(from, to))).toEqual(["running"]);
    expect(runStatusSchema.options.filter((from) => mayBecome(from, "running"))).toEqual(["queued", "waiting"]);
  });

  it("every plan in every sequence of operations makes a transition that the state machine allows", () => {
    fc.assert(
      fc.property(fc.array(operations, { maxLength: 40 }), (sequence) => {
        const steps = follow(sequence);
        const moves = steps.filter(({ before, after }) => before.status !== after.status);
        expect(moves.filter(({ before, after }) => !mayBecome(before.status, after.status))).toEqual([]);
        // A run that has ended does not change. Once its cancellation was requested, a running one can only end.
        expect(steps.filter(({ before, after }) => isEnded(before.status) && before !== after)).toEqual([]);
        const asked = moves.filter(({ before }) => before.cancelRequestedAt !== null);
        expect(asked.filter(({ after }) => !isEnded(after.status))).toEqual([]);
      }),
    );
  });
});

interface RunFacts {
  status: RunStatus;
  attempt: number;
  cancelRequestedAt: number | null;
}

const leave = statuses.filter((to) => mayBecome("running", to)).map((to) => ({ to }));
const operations = fc.oneof(fc.constant("claim" as const), fc.constant("cancel" as const), leave);

/** A run in memory. Only the plans change it. */
function follow(sequence: readonly ("claim" | "cancel" | { to: RunStatus })[]) {
  let run: RunFacts = { status: "queued", attempt: 1, cancelRequestedAt: null };
  return sequence.map((operation) => {
    const before = run;
    run = applyTo(run, operation);
    return { before, after: run };
  });
}

function applyTo(run: RunFacts, operation: "claim" | "cancel" | { to: RunStatus }): RunFacts {
  if (operation === "claim") return mayBecome(run.status, "running") ? { ...run, status: "running" } : run;
  if (operation === "cancel") {
    const { change } = planCancel(run, now);
    return change ? { ...run, ...change } : run;
  }
  if (run.status !== "running") return run;
  return { ...run, status: resolveTransition(operation, { isCancelRequested: run.cancelRequestedAt !== null }).to };
}

const cancel = (status: RunStatus, cancelRequestedAt: number | null = null) =>
  planCancel({ status, attempt: 2, cancelRequestedAt }, now);

describe("a cancellation", () => {
  it("ends a queued or waiting run at once", () => {
    for (const status of ["queued", "waiting"] as const)
      expect(cancel(status)).toEqual({
        outcome: "canceled",
        change: { status: "canceled", finishedAt: now, cancelRequestedAt: now },
        entry: { at: now, kind: "canceled", attempt: 2 },
      });
  });

  it("of a running run is requested once", () => {
    expect(cancel("running")).toEqual({
      outcome: "requested",
      change: { cancelRequestedAt: now },
      entry: { at: now, kind: "cancel_requested", attempt: 2 },
    });
    expect(cancel("running", 5)).toEqual({ outcome: "requested", change: null, entry: null });
  });

  it("changes no run that has ended", () => {
    for (const status of runStatusSchema.options.filter(isEnded))
      expect(cancel(status)).toEqual({ outcome: "ended", change: null, entry: null });
  });
});

it("a run whose cancellation was requested is canceled instead of returning to the queue, and ends as its worker asks otherwise", () => {
  for (const to of ["queued", "waiting"] as const) {
    expect(resolveTransition({ to }, { isCancelRequested: true })).toEqual({ to: "canceled", error: null });
    expect(resolveTransition({ to }, { isCancelRequested: false })).toEqual({ to });
  }
  for (const to of ["completed", "failed", "timed_out", "canceled"] as const)
    expect(resolveTransition({ to }, { isCancelRequested: true })).toEqual({ to });
});

it("a transition that the state machine does not allow is a defect", () => {
  expect(() => resolveTransition({ to: "running" as RunStatus }, { isCancelRequested: false })).toThrow(/running/);
});
