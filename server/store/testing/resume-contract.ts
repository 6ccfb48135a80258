import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunTransition } from "../../ports/store/engine-store.ts";
import type { NewRun } from "../../ports/store/new-run.ts";
import type { Store } from "../../ports/store.ts";
import { aClaim, aResume, aRun, claimOne, epoch, kindsOf, type OpenStore } from "./factories.ts";

const error = { name: "Error", message: "no", stack: "Error: no\n  at x" };
const failed: RunTransition = { to: "failed", error };

/** The tests of resumed and replayed failures that every store passes. */
export function resumeContract(open: OpenStore): void {
  describe("failed runs", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    /** A run that has failed in its only attempt, after one step. */
    async function aFailedRun(given: Partial<NewRun> = {}, transition = failed): Promise<string> {
      const run = aRun({ maxAttempts: 1, input: { to: "a" }, ...given });
      await store.createRuns([run]);
      const { id, token } = await claimOne(store);
      const step = {
        name: "s",
        kind: "step" as const,
        attempt: 1,
        startedAt: epoch,
        finishedAt: epoch,
        until: null,
        sequence: 1,
      };
      await store.writeProgress({
        runId: id,
        token,
        now: epoch + 2000,
        steps: [{ ...step, result: 7 }],
        entries: [
          { at: epoch + 2000, kind: "attempt_failed", attempt: 1, error },
          { at: epoch + 2000, kind: "failed", attempt: 1, error },
        ],
        transition,
      });
      return id;
    }

    const resume = async (id: string, given: Partial<Parameters<typeof aResume>[0]> = {}) =>
      (await store.resumeRuns([aResume({ id, ...given })], epoch + 5000))[0];
    const idsOf = async (filter: Parameters<Store["listRuns"]>[0]) =>
      (await store.listRuns(filter, { limit: 100, cursor: null })).data.map(({ id }) => id);

    it("a resumed run is queued for its new build, with its steps, its input and all attempts", async () => {
      const id = await aFailedRun();
      const before = await store.listTimeline(id, { after: 0, limit: 100 });
      expect(await resume(id)).toBeNull();
      expect(await store.getRun(id)).toMatchObject({
        status: "queued",
        version: "v2",
        attempt: 1,
        maxAttempts: 4,
        input: { to: "a" },
        error: null,
        finishedAt: null,
        createdAt: "2026-01-01T00:00:00.000Z",
        resumedAt: "2026-01-01T00:00:05.000Z",
      });
      expect((await store.loadSteps(id)).map(({ name, result }) => [name, result])).toEqual([["s", 7]]);
      const after = await store.listTimeline(id, { after: 0, limit: 100 });
      expect(after.slice(0, -1)).toEqual(before);
      expect(after.at(-1)).toMatchObject({ kind: "resume_requested", attempt: 1, at: "2026-01-01T00:00:05.000Z" });
      expect(await claimOne(store, { now: epoch + 6000, version: "v2" })).toMatchObject({
        id,
        attempt: 2,
        maxAttempts: 4,
        attemptsBefore: 1,
        isResumed: false,
      });
    });

    it("a resumed run can end, and its timeline has both ends", async () => {
      const id = await aFailedRun();
      await resume(id);
      const { token } = await claimOne(store, { now: epoch + 6000 });
      await store.writeProgress({
        runId: id,
        token,
        now: epoch + 7000,
        entries: [{ at: epoch + 7000, kind: "completed", attempt: 2, durationMs: 5 }],
        transition: { to: "completed", output: null },
      });
      expect(await kindsOf(store, id)).toEqual([
        "queued",
        "attempt_started",
        "attempt_failed",
        "failed",
        "resume_requested",
        "attempt_started",
        "completed",
      ]);
      expect(await store.getRun(id)).toMatchObject({ status: "completed", error: null });
      expect(await resume(id, { seenAttempt: 2 })).toEqual({ obstacle: { kind: "status", status: "completed" } });
    });

    it("the worker of the failed attempt cannot write to the resumed run", async () => {
      await store.createRuns([aRun()]);
      const { id, token } = await claimOne(store);
      const end = { runId: id, token, seq: 1, now: epoch, entries: [], transition: failed };
      await store.writeProgress(end);
      await resume(id);
      expect((await store.writeProgress(end)).held).toBe(false);
      expect((await store.writeProgress({ ...end, seq: 2 })).held).toBe(false);
      expect((await store.getRun(id))?.status).toBe("queued");
    });

    it("a cancellation that was requested before the failure does not cancel the resumed run", async () => {
      await store.createRuns([aRun()]);
      const { id, token } = await claimOne(store);
      await store.requestCancel(id, epoch);
      await store.writeProgress({ runId: id, token, now: epoch, entries: [], transition: failed });
      await resume(id);
      const again = await claimOne(store);
      const sleeps: RunTransition = { to: "waiting", reason: "sleep", availableAt: epoch };
      await store.writeProgress({ runId: id, token: again.token, now: epoch, entries: [], transition: sleeps });
      expect((await store.getRun(id))?.status).toBe("waiting");
    });

    it("a run is resumed once, if several ask at the same time", async () => {
      const id = await aFailedRun();
      const results = await Promise.all([1, 2, 3].map(() => resume(id)));
      expect(results.filter((result) => result === null)).toHaveLength(1);
      expect(results.filter((result) => result !== null)).toEqual([
        { obstacle: { kind: "status", status: "queued" } },
        { obstacle: { kind: "status", status: "queued" } },
      ]);
      expect(await store.claimRuns(aClaim({ now: epoch + 6000 }))).toHaveLength(1);
    });

    it("a run that failed again since the caller read it is left alone", async () => {
      const id = await aFailedRun();
      await resume(id);
      const { token } = await claimOne(store, { now: epoch + 6000 });
      await store.writeProgress({ runId: id, token, now: epoch + 7000, entries: [], transition: failed });
      expect(await resume(id)).toEqual({ obstacle: { kind: "resumed" } });
      expect(await resume(id, { seenAttempt: 2 })).toBeNull();
      expect(await store.getRun(id)).toMatchObject({ status: "queued", attempt: 2, maxAttempts: 5 });
    });

    it("a run that never existed, or has a replay, is not resumed", async () => {
      const id = await aFailedRun();
      const replay = aRun({ replayOf: id, createdAt: epoch + 3000 });
      await store.createRuns([replay]);
      expect(await store.resumeRuns([aResume({ id }), aResume({ id: "run_unknown" })], epoch)).toEqual([
        { obstacle: { kind: "replayed", as: replay.id } },
        { obstacle: "missing" },
      ]);
    });

    it("resumed runs count towards maxQueued, and the runs that fit are resumed", async () => {
      const ids = [await aFailedRun(), await aFailedRun({ createdAt: epoch + 1 })];
      const results = await store.resumeRuns(
        ids.map((id) => aResume({ id, maxQueued: 1 })),
        epoch + 5000,
      );
      expect(results).toEqual([
        null,
        { queue: { target: { kind: "workflow", slug: "welcome-email" }, maxQueued: 1, adds: 1 } },
      ]);
      await expect(store.createRuns([aRun({ maxQueued: 1 })])).rejects.toMatchObject({ code: "queue_full" });
    });

    it("a list shows the newest replay of each run, and the time of its resume", async () => {
      const [first, second] = [await aFailedRun(), await aFailedRun({ createdAt: epoch + 1 })];
      await resume(second);
      const replays = [1, 2].map((n) => aRun({ replayOf: first, createdAt: epoch + 3000 + n }));
      await store.createRuns(replays);
      const [, , ...rows] = (await store.listRuns({}, { limit: 10, cursor: null })).data;
      expect(rows.map(({ id, replayedAs, resumedAt }) => [id, replayedAs, resumedAt])).toEqual([
        [second, null, "2026-01-01T00:00:05.000Z"],
        [first, replays[1]?.id, null],
      ]);
      expect((await store.getRun(first))?.replayedAs).toBe(replays[1]?.id);
    });

    it("a failure is unresolved until it is resumed or replayed, and again if that fails", async () => {
      const [one, two] = [await aFailedRun(), await aFailedRun({ createdAt: epoch + 1 })];
      const three = await aFailedRun({ createdAt: epoch + 2, trigger: "other" }, { to: "timed_out", error });
      await store.createRuns([aRun({ createdAt: epoch + 3 })]);
      expect(await idsOf({ unresolved: true })).toEqual([three, two, one]);
      expect(await idsOf({ unresolved: true, status: "failed" })).toEqual([two, one]);
      expect(await idsOf({ unresolved: true, trigger: "other" })).toEqual([three]);
      expect(await idsOf({ unresolved: true, since: epoch + 1, until: epoch + 2 })).toEqual([two]);
      await store.claimRuns(aClaim());
      const replay = await aFailedRunAfter(two);
      await resume(one);
      expect(await idsOf({ unresolved: true })).toEqual([replay, three]);
      const again = (await store.claimRuns(aClaim({ now: epoch + 9000 }))).find(({ id }) => id === one);
      await store.writeProgress({
        runId: one,
        token: again?.token ?? "",
        now: epoch + 9000,
        entries: [],
        transition: failed,
      });
      expect(await idsOf({ unresolved: true })).toEqual([replay, three, one]);
    });

    /** A replay that has failed, too. */
    async function aFailedRunAfter(replayOf: string): Promise<string> {
      const run = aRun({ replayOf, createdAt: epoch + 4000 });
      await store.createRuns([run]);
      const claimed = (await store.claimRuns(aClaim())).find(({ id }) => id === run.id);
      const token = claimed?.token ?? "";
      await store.writeProgress({ runId: run.id, token, now: epoch + 4500, entries: [], transition: failed });
      return run.id;
    }

    it("of several replays that must be the only one, one is recorded", async () => {
      const id = await aFailedRun();
      const replays = [1, 2, 3].map(() => aRun({ replayOf: id, isOnlyReplay: true, createdAt: epoch + 3000 }));
      const left = (await Promise.all(replays.map((replay) => store.createFittingRuns([replay])))).flat();
      const [made, ...others] = await idsOf({ replayOf: id });
      expect(others).toEqual([]);
      expect(replays.map((replay) => replay.id)).toContain(made);
      expect(left.map((one) => ("obstacle" in one ? one.obstacle : null))).toEqual([
        { kind: "replayed", as: made },
        { kind: "replayed", as: made },
      ]);
    });

    it("a run is never both resumed and replayed by actions that run at once", async () => {
      const id = await aFailedRun();
      const replay = aRun({ replayOf: id, isOnlyReplay: true, createdAt: epoch + 3000 });
      const [resumed, left] = await Promise.all([resume(id), store.createFittingRuns([replay])]);
      const isReplayed = left.length === 0;
      expect(resumed).toEqual(isReplayed ? { obstacle: { kind: "replayed", as: replay.id } } : null);
      expect(left).toEqual(isReplayed ? [] : [{ id: replay.id, obstacle: { kind: "status", status: "queued" } }]);
    });

    it("a run that has not ended, or no longer exists, gets no replay that must be the only one", async () => {
      const open = aRun();
      await store.createRuns([open]);
      const replays = [open.id, "run_unknown"].map((replayOf) => aRun({ replayOf, isOnlyReplay: true }));
      expect(await store.createFittingRuns(replays)).toEqual([
        { id: replays[0]?.id, obstacle: { kind: "status", status: "queued" } },
        { id: replays[1]?.id, obstacle: "missing" },
      ]);
    });
  });
}
