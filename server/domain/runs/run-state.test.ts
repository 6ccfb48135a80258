import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type RunStatus, runStatusSchema } from "../../contract/run.ts";
import { isEnded, isFinal, mayBecome, openStatuses, planCancel, resolveTransition } from "./run-state.ts";

const statuses = fc.constantFrom(...runStatusSchema.options);
const now = 9;

describe("run states", () => {
  it("a final state never changes", () => {
    fc.assert(
      fc.property(fc.array(statuses, { maxLength: 30 }), (wishes) => {
        const path: RunStatus[] = ["queued"];
        for (const wish of wishes)
          path.push(mayBecome(path.at(-1) ?? "queued", wish) ? wish : (path.at(-1) ?? "queued"));
        const end = path.findIndex(isFinal);
        expect(new Set(end === -1 ? [] : path.slice(end)).size).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("exactly completed, failed, canceled and timed_out are final", () => {
    expect(runStatusSchema.options.filter(isFinal)).toEqual(["completed", "failed", "canceled", "timed_out"]);
    expect(runStatusSchema.options.filter((status) => !isEnded(status))).toEqual(openStatuses);
  });

  it("only a running run completes, fails or times out, and only a queued or waiting one starts", () => {
    for (const to of ["completed", "failed", "timed_out"] as const)
      expect(runStatusSchema.options.filter((from) => mayBecome(from, to))).toEqual(["running"]);
    expect(runStatusSchema.options.filter((from) => mayBecome(from, "running"))).toEqual(["queued", "waiting"]);
  });

  it("every plan of every sequence of operations makes a transition that the state machine allows", () => {
    const operation = fc.oneof(
      fc.record({ kind: fc.constant("claim" as const) }),
      fc.record({ kind: fc.constant("cancel" as const) }),
      fc.record({ kind: fc.constant("leave" as const), to: statuses.filter((to) => mayBecome("running", to)) }),
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
        let run = { status: "queued" as RunStatus, attempt: 1, cancelRequestedAt: null as number | null };
        const move = (status: RunStatus) => {
          if (status !== run.status) expect(mayBecome(run.status, status), `${run.status} → ${status}`).toBe(true);
          run = { ...run, status };
        };
        for (const { kind, ...given } of operations) {
          const before = run;
          if (kind === "claim" && mayBecome(run.status, "running")) move("running");
          if (kind === "leave" && "to" in given && run.status === "running") {
            const isCancelRequested = run.cancelRequestedAt !== null;
            move(resolveTransition({ to: given.to }, { isCancelRequested }).to);
            // After a request, the run can only end.
            if (isCancelRequested) expect(isFinal(run.status)).toBe(true);
          }
          if (kind === "cancel") {
            const { outcome, change, entry } = planCancel(run, now);
            expect(outcome === "ended").toBe(isFinal(run.status));
            expect(entry === null).toBe(change === null);
            if (change) {
              move(change.status);
              run = { ...run, cancelRequestedAt: change.cancelRequestedAt };
              expect(change.finishedAt !== null).toBe(isFinal(change.status));
            }
          }
          if (isFinal(before.status)) expect(run).toEqual(before);
        }
      }),
    );
  });
});

describe("a cancellation", () => {
  const cancel = (status: RunStatus, cancelRequestedAt: number | null = null) =>
    planCancel({ status, attempt: 2, cancelRequestedAt }, now);

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
      change: { status: "running", finishedAt: null, cancelRequestedAt: now },
      entry: { at: now, kind: "cancel_requested", attempt: 2 },
    });
    expect(cancel("running", 5)).toEqual({ outcome: "requested", change: null, entry: null });
  });

  it("changes no run that has ended", () => {
    for (const status of runStatusSchema.options.filter(isFinal))
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
