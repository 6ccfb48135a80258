import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunStatus } from "../../contract/run.ts";
import { leaseMs } from "../../domain/runs/lease.ts";
import { canResume, isEnded, mayBecome, planCancel, resolveTransition } from "../../shared/runs/run-state.ts";
import type { LostRun, RunTransition } from "../../ports/store/engine-store.ts";
import type { Store } from "../../ports/store.ts";
import { aClaim, aResume, aRun, epoch, type OpenStore } from "./factories.ts";

const workerId = "wrk_states";

const targets = ["queued", "waiting", "completed", "failed", "timed_out", "canceled"] as const;
const operations = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("claim" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("leave" as const),
      to: fc.constantFrom(...targets),
      hasToken: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("cancel" as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("resume" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("lose" as const),
      fate: fc.constantFrom("resume" as const, "isolate" as const, "fail" as const, "expire" as const),
    }),
  },
);
type StateOperation = typeof operations extends fc.Arbitrary<infer Value> ? Value : never;

/** The result of an operation, and the run's status after it. */
interface Observed {
  answer: unknown;
  status: RunStatus | undefined;
  hasEnded: boolean;
}

export function runStateContract(open: OpenStore): void {
  describe("run states", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    it("every operation, in every order, makes the transition of the state machine and no other", async () => {
      let made = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(operations, { minLength: 1, maxLength: 12 }), async (sequence) => {
          const steps = await follow(store, sequence);
          expect(steps.map(({ actual }) => actual)).toEqual(steps.map(({ expected }) => expected));
          const moves = steps.filter(({ before, after }) => before !== after);
          expect(moves.filter(({ before, after }) => !mayBecome(before, after))).toEqual([]);
          made += moves.length;
        }),
        { numRuns: 30 },
      );
      expect(made).toBeGreaterThan(0);
    });
  });
}

interface ModelRun {
  id: string;
  status: RunStatus;
  token: string | null;
  cancelRequestedAt: number | null;
}

/** Applies the operations to one run in the store and to the rules. */
async function follow(store: Store, sequence: readonly StateOperation[]) {
  let run: ModelRun = { id: aRun().id, status: "queued", token: null, cancelRequestedAt: null };
  let now = epoch;
  await store.createRuns([aRun({ id: run.id, createdAt: now })]);
  const steps: { before: RunStatus; after: RunStatus; expected: Observed; actual: Observed }[] = [];
  for (const operation of sequence) {
    now += 3 * leaseMs;
    const before = run.status;
    const { answer, ...result } = await applyTo(store, { run, operation, now });
    const found = await store.getRun(run.id);
    run = result.run;
    steps.push({
      before,
      after: run.status,
      expected: { answer: result.expected, status: run.status, hasEnded: isEnded(run.status) },
      actual: { answer, status: found?.status, hasEnded: found?.finishedAt !== null },
    });
  }
  await endRun(store, run, now);
  return steps;
}

/** The store's answer, the expected one, and the run as the rules change it. */
async function applyTo(
  store: Store,
  { run, operation, now }: { run: ModelRun; operation: StateOperation; now: number },
): Promise<{ answer: unknown; expected: unknown; run: ModelRun }> {
  const { id, status } = run;
  const isRunning = status === "running";
  const left = (asked: RunTransition): ModelRun =>
    isRunning
      ? { ...run, status: resolveTransition(asked, { isCancelRequested: run.cancelRequestedAt !== null }).to }
      : run;
  switch (operation.kind) {
    case "claim": {
      const shared = await store.claimRuns(aClaim({ workerId, now, leaseMs }));
      const isolated = await store.claimRuns(aClaim({ workerId, now, leaseMs, pool: "isolated" }));
      const claimed = [...shared, ...isolated];
      const answer = claimed.map((one) => one.id);
      if (!mayBecome(status, "running")) return { answer, expected: [], run };
      return { answer, expected: [id], run: { ...run, status: "running", token: claimed[0]?.token ?? null } };
    }
    case "leave": {
      const transition = transitionTo(operation.to, now);
      const token = operation.hasToken ? (run.token ?? "none yet") : "of another claim";
      const answer = (await store.writeProgress({ runId: id, token, now, entries: [], transition })).held;
      return { answer, expected: isRunning && operation.hasToken, run: operation.hasToken ? left(transition) : run };
    }
    case "cancel": {
      const { outcome, change } = planCancel({ status, attempt: 1, cancelRequestedAt: run.cancelRequestedAt }, now);
      return { answer: await store.requestCancel(id, now), expected: outcome, run: { ...run, ...change } };
    }
    case "resume": {
      const [answer] = await store.resumeRuns([aResume({ id, seenAttempt: await attemptOf(store, id) })], now);
      if (!canResume({ status, replayedAs: null }))
        return { answer, expected: { obstacle: { kind: "status", status } }, run };
      return { answer, expected: null, run: { ...run, status: "queued", cancelRequestedAt: null } };
    }
    case "lose": {
      if (operation.fate === "expire")
        return { answer: await store.reconcile(now), expected: isRunning ? 1 : 0, run: left({ to: "queued" }) };
      const fate = fateOf(operation.fate, now);
      const answer = await store.releaseLostRuns({ workerId, now, message: "killed", runs: [{ id, fate }] });
      return { answer, expected: undefined, run: left(fate.kind === "fail" ? fate.transition : { to: "queued" }) };
    }
  }
}

async function attemptOf(store: Store, id: string): Promise<number> {
  return (await store.getRun(id))?.attempt ?? 0;
}

/** Ends the run, so that the next sequence starts with an empty queue. */
async function endRun(store: Store, { id, token }: ModelRun, now: number): Promise<void> {
  if ((await store.requestCancel(id, now)) === "requested" && token !== null)
    await store.writeProgress({ runId: id, token, now, entries: [], transition: { to: "queued" } });
}

function transitionTo(status: (typeof targets)[number], now: number): RunTransition {
  const transitions: Record<typeof status, RunTransition> = {
    queued: { to: "queued" },
    waiting: { to: "waiting", reason: "retry", availableAt: now },
    completed: { to: "completed", output: null },
    failed: { to: "failed", error: null },
    timed_out: { to: "timed_out", error: null },
    canceled: { to: "canceled", error: null },
  };
  return transitions[status];
}

function fateOf(kind: "resume" | "isolate" | "fail", now: number): LostRun["fate"] {
  return kind === "fail" ? { kind, transition: transitionTo("failed", now), entries: [] } : { kind };
}
