import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../domain/ids.ts";
import { leaseMs } from "../../domain/runs/lease.ts";
import type { RunTransition, StepRecord } from "../../ports/store/engine-store.ts";
import { type Store, storeTopics } from "../../ports/store.ts";
import {
  aClaim,
  aConcurrency,
  aDelivery,
  aRun,
  claimOne,
  epoch,
  kindsOf,
  limitTo,
  type OpenStore,
  withRunningRun,
} from "./factories.ts";

const workflow = (slug: string) => ({ kind: "workflow" as const, slug });
const leaseEnd = epoch + 1000 + leaseMs; // of aClaim()

/** The tests of claims, progress and leases that every store passes. */
export function engineContract(open: OpenStore): void {
  describe("engine", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const write = (run: { id: string; token: string }, transition: RunTransition, now = epoch + 2000) =>
      store.writeProgress({ runId: run.id, token: run.token, now, entries: [], transition });

    const logged = (run: { id: string; token: string }, seq: number, transition?: RunTransition) =>
      store.writeProgress({
        runId: run.id,
        token: run.token,
        seq,
        now: epoch + 2000,
        entries: [{ at: epoch + 2000, kind: "log", attempt: 1, message: `written ${seq}` }],
        ...(transition ? { transition } : {}),
      });
    const messages = async (id: string) =>
      (await store.listTimeline(id, { after: 0, limit: 100 })).flatMap(({ message }) => message ?? []);

    describe("claims", () => {
      it("take the oldest runs first, up to the limit", async () => {
        const runs = [3, 1, 2].map((age) => aRun({ createdAt: epoch - age, target: workflow(`w-${age % 2}`) }));
        for (const run of runs.toSorted((a, b) => a.createdAt - b.createdAt)) await store.createRuns([run]);
        const claimed = await store.claimRuns(aClaim({ limit: 2 }));
        expect(claimed.map((run) => run.id)).toEqual([runs[0]?.id, runs[2]?.id]);
      });

      it("assign each run to the worker of its slot", async () => {
        await store.createRuns([3, 2, 1].map((age) => aRun({ createdAt: epoch - age })));
        const claimed = await store.claimRuns({ ...aClaim(), slots: ["wrk_a", "wrk_b", "wrk_a", "wrk_b"] });
        expect(claimed.map(({ workerId }) => workerId)).toEqual(["wrk_a", "wrk_b", "wrk_a"]);
        expect((await store.listHeldRuns("wrk_b")).map(({ id }) => id)).toEqual([claimed[1]?.id]);
        expect(await store.listHeldRuns("wrk_a")).toHaveLength(2);
      });

      it("record in the timeline, at each start, that another version than the accepting one executes a run", async () => {
        const run = aRun({ version: "v1", createdAt: epoch - 60_000 });
        await store.createRuns([run]);
        const first = await claimOne(store, { version: "v1" });
        await write(first, { to: "waiting", reason: "sleep", availableAt: epoch });
        await claimOne(store, { version: "v2" });
        const messages = (await store.listTimeline(run.id, { after: 0, limit: 10 })).flatMap(({ kind, message }) =>
          kind === "attempt_started" || kind === "resumed" ? [message] : [],
        );
        expect(messages).toEqual([null, "Executed by version v2: no worker has version v1, which accepted the run."]);
      });

      it("return what is needed to execute, and start the first attempt", async () => {
        const run = aRun({ input: { a: 1 }, payload: null });
        await store.createRuns([run]);
        const claimed = await claimOne(store);
        expect(claimed).toEqual({
          id: run.id,
          workerId: "wrk_a",
          token: claimed.token,
          leaseUntil: leaseEnd,
          status: "running",
          trigger: "new-signup",
          attachmentId: "new-signup:welcome-email",
          target: workflow("welcome-email"),
          deliveryId: null,
          failureOf: null,
          key: null,
          childOf: null,
          depth: 0,
          attempt: 1,
          maxAttempts: 3,
          attemptsBefore: 0,
          isResumed: false,
          createdAt: epoch,
          payloadText: null,
          inputText: '{"a":1}',
        });
        expect(await store.getRun(run.id)).toMatchObject({
          status: "running",
          attempt: 1,
          startedAt: "2026-01-01T00:00:01.000Z",
        });
        expect(await kindsOf(store, run.id)).toEqual(["queued", "attempt_started"]);
      });

      it("never take the same run twice, with any number of concurrent claims", async () => {
        await store.createRuns(Array.from({ length: 50 }, () => aRun()));
        const claims = await Promise.all(
          Array.from({ length: 20 }, (_, n) => store.claimRuns(aClaim({ workerId: `wrk_${n}`, limit: 7 }))),
        );
        const ids = claims.flat().map((run) => run.id);
        expect(new Set(ids).size).toBe(50);
        expect(ids).toHaveLength(50);
      });

      it("take a queued run even after the clock was set back", async () => {
        await store.createRuns([aRun()]);
        expect(await store.claimRuns(aClaim({ now: epoch - 3_600_000 }))).toHaveLength(1);
      });

      it("skip a target at its concurrency limit, and take the runs of other targets", async () => {
        await store.createRuns([
          ...Array.from({ length: 30 }, () => aRun({ createdAt: epoch - 1, target: workflow("narrow") })),
          aRun({ target: workflow("wide") }),
        ]);
        const limits = limitTo({ "workflow:narrow": 2 });
        const slugs = async () => (await store.claimRuns(aClaim({ limits }))).map((run) => run.target.slug);
        expect(await slugs()).toEqual(["narrow", "narrow", "wide"]);
        expect(await slugs()).toEqual([]);
      });

      it("count a target's runs in all pools and of all workers, separately for workflows and agents", async () => {
        await store.createRuns([aRun({ createdAt: epoch - 1, concurrency: aConcurrency({ limit: 1 }) })]);
        await store.createRuns([
          aRun({ concurrency: aConcurrency({ limit: 1 }) }),
          aRun({ target: { kind: "agent", slug: "welcome-email" } }),
        ]);
        const limits = limitTo({ "workflow:welcome-email": 1 });
        expect(await store.claimRuns(aClaim({ limits, limit: 1 }))).toHaveLength(1);
        const [next, ...rest] = await store.claimRuns(aClaim({ limits, workerId: "wrk_b" }));
        expect(next?.target.kind).toBe("agent");
        expect(rest).toEqual([]);
      });

      it("of many runs respect every target's limit, and take the oldest runs of each", async () => {
        const ages = [5, 1, 4, 2, 3];
        const runs = ["narrow", "wide"].flatMap((slug) =>
          ages.map((age) => aRun({ createdAt: epoch - age, target: workflow(slug) })),
        );
        await store.createRuns(runs);
        const claimed = await store.claimRuns(aClaim({ limit: 80, limits: limitTo({ "workflow:narrow": 2 }) }));
        const agesOf = (slug: string) =>
          claimed.filter(({ target }) => target.slug === slug).map(({ createdAt }) => epoch - createdAt);
        expect([agesOf("narrow"), agesOf("wide")]).toEqual([
          [5, 4],
          [5, 4, 3, 2, 1],
        ]);
        expect(claimed.map(({ createdAt }) => createdAt)).toEqual(
          claimed.map(({ createdAt }) => createdAt).toSorted((a, b) => a - b),
        );
      });

      it("of many runs can be released, ended and lost separately", async () => {
        await store.createRuns(Array.from({ length: 4 }, (_, n) => aRun({ createdAt: epoch + n })));
        const [ended, back, canceled, held] = await store.claimRuns(aClaim());
        if (!ended || !back || !canceled || !held) throw new Error("four runs are due");
        await store.requestCancel(canceled.id, epoch + 1500);
        const answers = await Promise.all([
          write(ended, { to: "completed", output: 1 }),
          write(back, { to: "queued" }),
          write(canceled, { to: "canceled", error: null }),
          write({ ...held, token: ended.token }, { to: "queued" }),
        ]);
        expect(answers.map((answer) => answer.held)).toEqual([true, true, true, false]);
        expect((await store.listHeldRuns("wrk_a")).map(({ id }) => id)).toEqual([held.id]);
        expect(await claimOne(store)).toMatchObject({ id: back.id, attempt: 1, isResumed: true });
      });

      it("do not fail together: if one run cannot be written, the others of its batch are on disk", async () => {
        await store.createRuns([aRun(), aRun(), aRun()]);
        const [a, b, c] = await store.claimRuns(aClaim());
        if (!a || !b || !c) throw new Error("three runs are due");
        const impossible = { at: epoch, kind: "log", attempt: Symbol("no number") as unknown as number } as const;
        const outcomes = await Promise.allSettled([
          write(a, { to: "completed", output: null }),
          store.writeProgress({
            runId: b.id,
            token: b.token,
            now: epoch,
            entries: [impossible],
            transition: { to: "completed", output: null },
          }),
          write(c, { to: "completed", output: null }),
        ]);
        expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
        expect([
          (await store.getRun(a.id))?.status,
          (await store.getRun(b.id))?.status,
          (await store.getRun(c.id))?.status,
        ]).toEqual(["completed", "running", "completed"]);
      });

      it("take runs of a target again when one of its runs has ended", async () => {
        await store.createRuns([aRun(), aRun()]);
        const limits = limitTo({ "workflow:welcome-email": 1 });
        const first = await claimOne(store, { limits });
        await write(first, { to: "completed", output: null });
        expect(await store.claimRuns(aClaim({ limits }))).toHaveLength(1);
      });
    });

    describe("an assigned run", () => {
      const end = epoch + leaseMs;
      const assignment = { workerId: "wrk_a", token: "a token", leaseUntil: end };

      it.each(["acceptDelivery", "createRuns", "createFittingRuns"] as const)(
        "is recorded as running, in its first attempt: %s",
        async (operation) => {
          const delivery = aDelivery();
          const deliveryId = operation === "acceptDelivery" ? delivery.id : null;
          const run = aRun({ deliveryId, assignment });
          const queued = aRun({ deliveryId });
          if (operation === "acceptDelivery")
            await store.acceptDelivery({ delivery, runs: [run, queued], idempotency: null });
          else await store[operation]([run, queued]);
          expect(await store.getRun(run.id)).toMatchObject({
            status: "running",
            attempt: 1,
            createdAt: "2026-01-01T00:00:00.000Z",
            startedAt: "2026-01-01T00:00:00.000Z",
            finishedAt: null,
            payload: run.payload,
          });
          expect(await kindsOf(store, run.id)).toEqual(["queued", "attempt_started"]);
          expect(await store.listHeldRuns("wrk_a")).toEqual([
            {
              id: run.id,
              token: "a token",
              version: run.version,
              target: run.target,
              failureOf: null,
              attempt: 1,
              maxAttempts: 3,
              attemptsBefore: 0,
              crashes: 0,
            },
          ]);
          expect((await store.claimRuns(aClaim())).map(({ id }) => id)).toEqual([queued.id]);
        },
      );

      it("ends only under its own token", async () => {
        const run = aRun({ assignment });
        await store.createRuns([run]);
        const end = { to: "completed", output: 1 } as const;
        expect(await write({ id: run.id, token: "another" }, end)).toMatchObject({ held: false });
        expect(await write({ id: run.id, token: "a token" }, end)).toEqual({ held: true, cancelRequested: false });
        expect((await store.getRun(run.id))?.status).toBe("completed");
      });

      it("continues its attempt after its lease expired", async () => {
        const run = aRun({ assignment });
        await store.createRuns([run]);
        expect(await store.reconcile(end - 1)).toBe(0);
        expect(await store.reconcile(end)).toBe(1);
        expect(await claimOne(store, { now: end })).toMatchObject({ id: run.id, attempt: 1, isResumed: true });
      });

      it("does not count as queued, but counts towards the concurrency of its target", async () => {
        const first = aRun({ maxQueued: 1 });
        await store.createRuns([aRun({ maxQueued: 1, assignment }), first, aRun({ maxQueued: 1, assignment })]);
        await store.createRuns([aRun({ maxQueued: 1, assignment })]);
        await expect(store.createRuns([aRun({ maxQueued: 1 })])).rejects.toMatchObject({ code: "queue_full" });
        const limits = limitTo({ "workflow:welcome-email": 3 });
        expect(await store.claimRuns(aClaim({ limits }))).toEqual([]);
        expect(await store.countOpenRuns()).toEqual({ queued: 1, running: 3, waiting: 0 });
      });
    });

    describe("the run of onFailure", () => {
      const failureRun = { id: newId("run"), version: "v2", maxAttempts: 5, concurrency: null };
      const failed = (plan: typeof failureRun): RunTransition => ({
        to: "failed",
        error: { name: "Error", message: "no", stack: null },
        failureRun: plan,
      });

      it.each(["a worker", "a lost worker"])("is recorded with the end of the failed run, once: %s", async (by) => {
        const run = await withRunningRun(store);
        const plan = { ...failureRun, id: newId("run") };
        const end = () =>
          by === "a worker"
            ? logged(run, 1, failed(plan))
            : store.releaseLostRuns({
                workerId: run.workerId,
                now: epoch + 2000,
                message: "lost",
                runs: [{ id: run.id, fate: { kind: "fail", transition: failed(plan), entries: [] } }],
              });
        await end();
        await end();
        const { data } = await store.listRuns({ failureOf: run.id }, { limit: 10, cursor: null });
        expect(data).toMatchObject([
          {
            id: plan.id,
            status: "queued",
            startedBy: "failure",
            failureOf: run.id,
            trigger: "new-signup",
            attachmentId: null,
            target: run.target,
            version: "v2",
            maxAttempts: 5,
            createdAt: "2026-01-01T00:00:02.000Z",
          },
        ]);
        expect(await kindsOf(store, plan.id)).toEqual(["queued"]);
        expect((await store.getRun(run.id))?.failureOf).toBeNull();
      });

      it("is claimed like any other, with the failed run's id, and without a token count for an agent", async () => {
        const run = await withRunningRun(store, { target: { kind: "agent", slug: "triage" } });
        await write(run, failed(failureRun));
        const claimed = await claimOne(store, { now: epoch + 20_000 });
        expect(claimed).toMatchObject({ id: failureRun.id, failureOf: run.id, payloadText: null, inputText: null });
        expect((await store.getRun(failureRun.id))?.tokens).toBeNull();
        expect((await store.listHeldRuns(claimed.workerId))[0]?.failureOf).toBe(run.id);
      });

      it("is not recorded if another worker has the run", async () => {
        const run = await withRunningRun(store);
        await write({ ...run, token: "00000000-0000-4000-8000-000000000000" }, failed(failureRun));
        expect((await store.listRuns({ failureOf: run.id }, { limit: 1, cursor: null })).data).toEqual([]);
      });

      it("needs no room in a full queue, and does not count as a run of its target", async () => {
        const run = await withRunningRun(store);
        await store.createRuns([aRun({ maxQueued: 1 })]);
        await write(run, failed(failureRun));
        const [summary] = await store.summarizeTargets({ targets: [run.target], since: 0 });
        expect(summary).toMatchObject({ runs: 2, failed: 1, open: 1 });
        expect(summary?.lastRun?.id).not.toBe(failureRun.id);
      });

      it("of several runs that fail together are all recorded", async () => {
        await store.createRuns([aRun(), aRun(), aRun({ target: workflow("other") })]);
        const runs = await store.claimRuns(aClaim());
        await Promise.all(runs.map((run) => write(run, failed({ ...failureRun, id: newId("run") }))));
        for (const { id, target } of runs)
          expect((await store.listRuns({ failureOf: id }, { limit: 5, cursor: null })).data).toMatchObject([
            { target },
          ]);
      });
    });

    describe("progress", () => {
      it("is written atomically: entries, steps, input and end", async () => {
        const { id, token } = await withRunningRun(store);
        const step: StepRecord = {
          name: "send",
          kind: "step",
          attempt: 1,
          startedAt: epoch,
          finishedAt: epoch + 5,
          until: null,
          result: { ok: [1, null] },
          sequence: 1,
        };
        const answer = await store.writeProgress({
          runId: id,
          token,
          now: epoch + 2000,
          input: { to: "a" },
          entries: [{ at: epoch + 2000, kind: "completed", attempt: 1 }],
          steps: [step],
          transition: { to: "completed", output: { messageId: "m" } },
        });
        expect(answer).toEqual({ held: true, cancelRequested: false });
        expect(await store.getRun(id)).toMatchObject({
          status: "completed",
          input: { to: "a" },
          output: { messageId: "m" },
          error: null,
          finishedAt: "2026-01-01T00:00:02.000Z",
        });
        expect(await store.loadSteps(id)).toEqual([step]);
        expect(await kindsOf(store, id)).toEqual(["queued", "attempt_started", "completed"]);
      });

      it("of a process that has lost the run writes nothing", async () => {
        const first = await withRunningRun(store);
        await store.reconcile(leaseEnd);
        const second = await claimOne(store, { now: leaseEnd });
        const before = await kindsOf(store, first.id);
        const step: StepRecord = {
          name: "s",
          kind: "step",
          attempt: 1,
          startedAt: 1,
          finishedAt: 2,
          until: null,
          result: 1,
          sequence: 1,
        };
        const late = {
          runId: first.id,
          token: first.token,
          now: leaseEnd,
          input: 1,
          entries: [{ at: 1, kind: "log" as const, attempt: 1 }],
          steps: [step],
        };
        expect(await store.writeProgress({ ...late, transition: { to: "failed", error: null } })).toEqual({
          held: false,
          cancelRequested: false,
        });
        expect(await store.getRun(first.id)).toMatchObject({ status: "running", input: null });
        expect(await store.loadSteps(first.id)).toEqual([]);
        expect(await kindsOf(store, first.id)).toEqual(before);
        expect(second.token).not.toBe(first.token);
      });

      describe("that is sent again", () => {
        it("is acknowledged again, and written once", async () => {
          const run = await withRunningRun(store);
          for (const seq of [1, 2, 2, 1, 3]) expect((await logged(run, seq)).held).toBe(true);
          expect(await messages(run.id)).toEqual(["written 1", "written 2", "written 3"]);
        });

        it("concurrently is written once", async () => {
          const run = await withRunningRun(store);
          const answers = await Promise.all([logged(run, 1), logged(run, 1), logged(run, 1)]);
          expect(answers).toEqual(answers.map(() => ({ held: true, cancelRequested: false })));
          expect(await messages(run.id)).toEqual(["written 1"]);
        });

        it.each<RunTransition>([
          { to: "completed", output: 1 },
          { to: "failed", error: null },
          { to: "waiting", reason: "sleep", availableAt: epoch + 1e9 },
          { to: "waiting", reason: "retry", availableAt: epoch + 1e9 },
          { to: "queued" },
        ])("after it made the run %j is acknowledged, but a later write is not", async (end) => {
          const run = await withRunningRun(store);
          await logged(run, 1);
          await logged(run, 2, end);
          const before = await store.getRun(run.id);
          expect((await logged(run, 2, end)).held).toBe(true);
          expect((await logged(run, 3)).held).toBe(false);
          expect(await store.getRun(run.id)).toEqual(before);
          expect(await messages(run.id)).toEqual(["written 1", "written 2"]);
        });

        it("after a reported cancellation reports it again", async () => {
          const run = await withRunningRun(store);
          await store.requestCancel(run.id, epoch + 1500);
          const end: RunTransition = { to: "waiting", reason: "sleep", availableAt: epoch + 1e9 };
          const answer = await logged(run, 1, end);
          expect(answer).toEqual({ held: true, cancelRequested: true });
          expect(await logged(run, 1, end)).toEqual(answer);
          expect((await store.getRun(run.id))?.status).toBe("canceled");
        });

        it("after the run was taken from its worker is rejected, including earlier writes", async () => {
          const run = await withRunningRun(store);
          await logged(run, 1);
          await store.releaseLostRuns({
            workerId: "wrk_a",
            now: epoch + 3000,
            message: "gone",
            runs: [{ id: run.id, fate: { kind: "resume" } }],
          });
          expect((await logged(run, 1)).held).toBe(false);
          expect((await logged(run, 2)).held).toBe(false);
          const next = await claimOne(store);
          expect((await logged(run, 1)).held).toBe(false);
          expect((await logged(next, 1)).held).toBe(true);
          expect((await messages(run.id)).filter((message) => message.startsWith("written"))).toEqual([
            "written 1",
            "written 1",
          ]);
        });
      });

      it.each<RunTransition>([
        { to: "completed", output: 1 },
        { to: "failed", error: { name: "E", message: "m", stack: null } },
        { to: "timed_out", error: { name: "E", message: "m", stack: null } },
        { to: "canceled", error: null },
      ])("cannot change a run that is %j", async (end) => {
        const run = await withRunningRun(store);
        await write(run, end);
        const ended = await store.getRun(run.id);
        expect(ended?.status).toBe(end.to);
        expect((await write(run, { to: "waiting", reason: "retry", availableAt: 0 })).held).toBe(false);
        expect(await store.requestCancel(run.id, epoch + 9000)).toBe("ended");
        await store.releaseLostRuns({
          workerId: "wrk_a",
          now: epoch + 9000,
          message: "gone",
          runs: [{ id: run.id, fate: { kind: "resume" } }],
        });
        await store.reconcile(epoch + 1e9);
        expect(await store.claimRuns(aClaim({ now: epoch + 1e9 }))).toEqual([]);
        expect(await store.getRun(run.id)).toEqual(ended);
      });

      it("keeps the first result of a step, and finishes a sleep later", async () => {
        const { id, token } = await withRunningRun(store);
        const save = (step: StepRecord) =>
          store.writeProgress({ runId: id, token, now: epoch, entries: [], steps: [step] });
        const sleep: StepRecord = {
          name: "nap",
          kind: "sleep",
          attempt: 1,
          startedAt: 1,
          finishedAt: null,
          until: 50,
          result: null,
          sequence: null,
        };
        const step: StepRecord = {
          name: "a",
          kind: "step",
          attempt: 1,
          startedAt: 2,
          finishedAt: 3,
          until: null,
          result: "first",
          sequence: 1,
        };
        await save(sleep);
        await save(step);
        await save({ ...sleep, finishedAt: 50, sequence: 2 });
        await save({ ...step, result: "second", sequence: 3 });
        expect(await store.loadSteps(id)).toEqual([{ ...sleep, finishedAt: 50, sequence: 2 }, step]);
      });

      it("keeps the failed tries of a step until it completes, with the time of the next try", async () => {
        const first = await withRunningRun(store);
        const error = { name: "HttpError", message: "503", stack: null };
        const failed = (run: { id: string; token: string }, tries: number, nextAt: number | null): StepRecord => ({
          name: "charge",
          kind: "step",
          attempt: 1,
          startedAt: epoch + tries * 1000,
          finishedAt: null,
          until: nextAt,
          result: { tries, error, failedAt: epoch + tries * 1000, run: run.id },
          sequence: nextAt === null ? 1 : null,
        });
        const save = (run: { id: string; token: string }, step: StepRecord, transition?: RunTransition) =>
          store.writeProgress({
            runId: run.id,
            token: run.token,
            now: epoch + 2000,
            entries: [],
            steps: [step],
            ...(transition ? { transition } : {}),
          });
        await save(first, failed(first, 1, epoch + 3000));
        await save(first, failed(first, 2, epoch + 60_000), {
          to: "waiting",
          reason: "sleep",
          availableAt: epoch + 60_000,
        });
        expect(await store.loadSteps(first.id)).toEqual([failed(first, 2, epoch + 60_000)]);
        expect(await store.claimRuns(aClaim({ now: epoch + 59_999 }))).toEqual([]);
        const second = await claimOne(store, { now: epoch + 60_000 });
        expect(second).toMatchObject({ id: first.id, attempt: 1, isResumed: true });
        await save(second, failed(second, 3, null));
        expect(await store.loadSteps(first.id)).toEqual([failed(second, 3, null)]);
        const completed: StepRecord = {
          ...failed(second, 4, null),
          attempt: 2,
          finishedAt: epoch + 9000,
          result: "paid",
        };
        await save(second, completed);
        await save(second, failed(second, 5, epoch + 90_000));
        expect(await store.loadSteps(first.id)).toEqual([completed]);
      });

      it("to a sleep continues the same attempt, to a retry starts the next one", async () => {
        const first = await withRunningRun(store);
        await write(first, { to: "waiting", reason: "sleep", availableAt: epoch + 5000 });
        const second = await claimOne(store, { now: epoch + 5000 });
        expect(second).toMatchObject({ attempt: 1, isResumed: true });
        await write(second, { to: "waiting", reason: "retry", availableAt: epoch + 6000 });
        const third = await claimOne(store, { now: epoch + 6000 });
        expect(third).toMatchObject({ attempt: 2, isResumed: false });
        await write(third, { to: "queued" });
        expect(await claimOne(store)).toMatchObject({ attempt: 2, isResumed: true });
        expect(await kindsOf(store, first.id)).toEqual([
          "queued",
          "attempt_started",
          "resumed",
          "attempt_started",
          "resumed",
        ]);
        expect((await store.getRun(first.id))?.startedAt).toBe("2026-01-01T00:00:01.000Z");
      });

      it("makes a run wait until its time, which can be queried", async () => {
        const [a, b] = [aRun(), aRun()];
        await store.createRuns([a, b]);
        expect(await store.nextAvailableAt("shared")).toBeNull();
        for (const run of await store.claimRuns(aClaim())) {
          await write(run, {
            to: "waiting",
            reason: "retry",
            availableAt: run.id === a.id ? epoch + 9000 : epoch + 8000,
          });
        }
        expect(await store.nextAvailableAt("shared")).toBe(epoch + 8000);
        expect(await store.nextAvailableAt("shared", epoch + 8000)).toBe(epoch + 9000);
        expect(await store.nextAvailableAt("isolated")).toBeNull();
        expect(await store.claimRuns(aClaim({ now: epoch + 7999 }))).toEqual([]);
        expect((await claimOne(store, { now: epoch + 8000 })).id).toBe(b.id);
      });

      it("counts queued runs by pool, without waiting and running ones", async () => {
        await store.createRuns([aRun(), aRun(), aRun(), aRun()]);
        const [lost, asleep] = await store.claimRuns(aClaim({ limit: 2 }));
        if (!lost || !asleep) throw new Error("two runs are due");
        await write(asleep, { to: "waiting", reason: "sleep", availableAt: epoch + 9000 });
        expect([await store.countQueued("shared"), await store.countQueued("isolated")]).toEqual([2, 0]);
        await store.releaseLostRuns({
          workerId: "wrk_a",
          now: epoch,
          message: "It was killed.",
          runs: [{ id: lost.id, fate: { kind: "isolate" } }],
        });
        expect([await store.countQueued("shared"), await store.countQueued("isolated")]).toEqual([2, 1]);
      });

      it("lists the due runs that need nothing but a worker, with the time since which the first is due", async () => {
        const due = (p: { now: number; limit?: number }) =>
          store.listDueRuns({
            pools: ["shared", "isolated"],
            limits: limitTo({ "workflow:narrow": 1 }),
            limit: 100,
            ...p,
          });
        const sum = async (p: { now: number; limit?: number }) =>
          Object.fromEntries(
            [...Map.groupBy(await due(p), ({ pool }) => pool)].map(([pool, groups]) => [
              pool,
              [
                groups.reduce((runs, group) => runs + group.runs, 0),
                Math.min(...groups.map(({ oldestAt }) => oldestAt)) - epoch,
              ],
            ]),
          );
        expect(await due({ now: epoch })).toEqual([]);
        const narrow = { target: workflow("narrow"), concurrency: aConcurrency({ limit: 1 }) };
        await store.createRuns([aRun({ createdAt: epoch }), aRun({ createdAt: epoch, ...narrow })]);
        expect(await sum({ now: epoch + 100 })).toEqual({ shared: [2, 0] });
        const limits = limitTo({ "workflow:narrow": 1 });
        const claimed = await store.claimRuns(aClaim({ now: epoch + 200, limits }));
        await store.createRuns([aRun({ createdAt: epoch + 500 }), aRun({ createdAt: epoch + 500, ...narrow })]);
        // The target of the other run has no room.
        expect(await sum({ now: epoch + 1000 })).toEqual({ shared: [1, 500] });
        const [first, second] = claimed;
        if (!first || !second) throw new Error("two runs are due");
        await write(first, { to: "waiting", reason: "sleep", availableAt: epoch + 9000 }, epoch + 2000);
        await store.releaseLostRuns({
          workerId: "wrk_a",
          now: epoch + 7000,
          message: "It crashed.",
          runs: [{ id: second.id, fate: { kind: "isolate" } }],
        });
        // The lost run is due since it was lost, not since it was recorded.
        expect(await sum({ now: epoch + 8999 })).toEqual({ isolated: [1, 7000], shared: [2, 500] });
        expect(await store.listDueRuns({ pools: ["isolated"], now: epoch + 8999, limits, limit: 9 })).toHaveLength(1);
        for (const run of await store.claimRuns(aClaim({ now: epoch + 8999, limits })))
          await write(run, { to: "completed", output: null }, epoch + 9000);
        expect(await sum({ now: epoch + 9500 })).toMatchObject({ shared: [1, 9000] });
      });

      it("counts no more due runs than it was asked for", async () => {
        await store.createRuns(Array.from({ length: 5 }, () => aRun({ createdAt: epoch })));
        const p = { pools: ["shared"], now: epoch + 1, limits: new Map() } as const;
        expect((await store.listDueRuns({ ...p, limit: 3 })).map(({ runs }) => runs)).toEqual([3]);
        expect((await store.listDueRuns({ ...p, limit: 9 })).map(({ runs }) => runs)).toEqual([5]);
      });

      it("cancels a run whose cancellation was requested instead of letting it wait", async () => {
        const run = await withRunningRun(store);
        await store.requestCancel(run.id, epoch + 1500);
        expect(await write(run, { to: "waiting", reason: "sleep", availableAt: epoch + 1e9 })).toEqual({
          held: true,
          cancelRequested: true,
        });
        expect(await store.getRun(run.id)).toMatchObject({
          status: "canceled",
          finishedAt: "2026-01-01T00:00:02.000Z",
        });
        expect((await kindsOf(store, run.id)).at(-1)).toBe("canceled");
      });
    });

    describe("leases", () => {
      it("show which of some running runs have a requested cancellation", async () => {
        const [asked, unasked, queued] = [aRun(), aRun(), aRun({ createdAt: epoch + 1 })];
        await store.createRuns([asked, unasked, queued]);
        await store.claimRuns(aClaim({ limit: 2 }));
        for (const { id } of [asked, queued]) await store.requestCancel(id, epoch + 2000);
        expect(await store.listCancelRequested([asked, unasked, queued].map(({ id }) => id))).toEqual([asked.id]);
        expect(await store.listCancelRequested([unasked.id])).toEqual([]);
      });

      it("are extended for claimed runs, and the others are returned", async () => {
        await store.createRuns([aRun(), aRun(), aRun()]);
        const [a, b, c] = await store.claimRuns(aClaim());
        if (!a || !b || !c) throw new Error("three runs are due");
        await write(b, { to: "completed", output: null });
        await store.requestCancel(c.id, epoch + 1500);
        const runs = [a, b, c].map(({ id, token }) => ({ id, token }));
        expect(await store.extendLeases({ runs, now: epoch + 5000, leaseMs })).toEqual({
          lost: [b.id],
          cancelRequested: [c.id],
        });
        expect(await store.reconcile(epoch + 5000 + leaseMs - 1)).toBe(0);
        expect(await store.reconcile(epoch + 5000 + leaseMs)).toBe(2);
      });

      it("that expired return the run to the queue with the same attempt", async () => {
        const run = await withRunningRun(store);
        expect(await store.reconcile(leaseEnd - 1)).toBe(0);
        expect(await store.reconcile(leaseEnd)).toBe(1);
        const entries = await store.listTimeline(run.id, { after: 0, limit: 10 });
        expect(entries.at(-1)).toMatchObject({
          kind: "worker_lost",
          attempt: 1,
          message: expect.stringContaining("lease"),
        });
        expect(await claimOne(store, { now: leaseEnd })).toMatchObject({ id: run.id, attempt: 1, isResumed: true });
        expect(await store.extendLeases({ runs: [run], now: leaseEnd, leaseMs })).toEqual({
          lost: [run.id],
          cancelRequested: [],
        });
      });

      it("that expired do not affect a run that is known to be active", async () => {
        const run = await withRunningRun(store);
        expect(await store.reconcile(leaseEnd, new Set([run.id]))).toBe(0);
        expect(await store.extendLeases({ runs: [run], now: leaseEnd, leaseMs })).toEqual({
          lost: [],
          cancelRequested: [],
        });
        expect(await store.reconcile(leaseEnd + leaseMs, new Set(["run_other"]))).toBe(1);
      });

      it("of sleeping and retried runs, and of steps between two tries, are not longer than requested after the clock is set back", async () => {
        const [sleeper, retried, trying] = [
          await withRunningRun(store),
          await withRunningRun(store),
          await withRunningRun(store),
        ];
        const nap: StepRecord = {
          name: "nap",
          kind: "sleep",
          attempt: 1,
          startedAt: epoch + 2000,
          finishedAt: null,
          until: epoch + 7000,
          result: null,
          sequence: null,
        };
        await store.writeProgress({
          runId: sleeper.id,
          token: sleeper.token,
          now: epoch + 2000,
          entries: [],
          steps: [nap],
          transition: { to: "waiting", reason: "sleep", availableAt: epoch + 7000 },
        });
        const scheduled = { at: epoch + 2000, kind: "retry_scheduled" as const, attempt: 1, until: epoch + 5000 };
        await store.writeProgress({
          runId: retried.id,
          token: retried.token,
          now: epoch + 2000,
          entries: [scheduled],
          transition: { to: "waiting", reason: "retry", availableAt: epoch + 5000 },
        });
        const charge: StepRecord = { ...nap, name: "charge", kind: "step", until: epoch + 8000, result: { tries: 1 } };
        await store.writeProgress({
          runId: trying.id,
          token: trying.token,
          now: epoch + 2000,
          entries: [],
          steps: [charge],
          transition: { to: "waiting", reason: "sleep", availableAt: epoch + 8000 },
        });
        expect(await store.reconcile(epoch + 3000)).toBe(0);
        const back = epoch - 3_600_000;
        expect(await store.reconcile(back)).toBe(3);
        // Once for each time that the clock is set back.
        expect([await store.reconcile(back + 1), await store.reconcile(back)]).toEqual([0, 0]);
        expect(await store.claimRuns(aClaim({ now: back + 2999 }))).toEqual([]);
        expect((await store.claimRuns(aClaim({ now: back + 3000 }))).map(({ id }) => id)).toEqual([retried.id]);
        expect((await store.claimRuns(aClaim({ now: back + 5000 }))).map(({ id }) => id)).toEqual([sleeper.id]);
        expect(await store.loadSteps(sleeper.id)).toEqual([{ ...nap, startedAt: back, until: back + 5000 }]);
        expect((await store.claimRuns(aClaim({ now: back + 6000 }))).map(({ id }) => id)).toEqual([trying.id]);
        expect(await store.loadSteps(trying.id)).toEqual([{ ...charge, startedAt: back, until: back + 6000 }]);
      });

      it("of a run that waits for its next attempt keep its time, regardless of what its last attempt waited for", async () => {
        const run = await withRunningRun(store);
        const orphan: StepRecord = {
          name: "charge",
          kind: "step",
          attempt: 1,
          startedAt: epoch + 2000,
          finishedAt: null,
          until: epoch + 2500,
          result: { tries: 1 },
          sequence: null,
        };
        await store.writeProgress({
          runId: run.id,
          token: run.token,
          now: epoch + 2000,
          entries: [{ at: epoch + 2000, kind: "retry_scheduled", attempt: 1, until: epoch + 9000 }],
          steps: [orphan],
          transition: { to: "waiting", reason: "retry", availableAt: epoch + 9000 },
        });
        const back = epoch - 3_600_000;
        expect(await store.reconcile(back)).toBe(1);
        expect(await store.claimRuns(aClaim({ now: back + 6999 }))).toEqual([]);
        expect(await claimOne(store, { now: back + 7000 })).toMatchObject({ id: run.id, attempt: 2 });
      });

      it("that expired cancel a run whose cancellation was requested", async () => {
        const run = await withRunningRun(store);
        await store.requestCancel(run.id, epoch + 1500);
        expect(await store.reconcile(leaseEnd)).toBe(1);
        expect((await store.getRun(run.id))?.status).toBe("canceled");
      });
    });

    describe("a lost worker's runs", () => {
      it("are returned with what is needed to decide their fate", async () => {
        const run = await withRunningRun(store);
        const { id, token, target } = run;
        const { version } = aRun();
        expect(await store.listHeldRuns("wrk_a")).toEqual([
          { id, token, version, target, failureOf: null, attempt: 1, maxAttempts: 3, attemptsBefore: 0, crashes: 0 },
        ]);
        expect(await store.listHeldRuns("wrk_b")).toEqual([]);
      });

      it("return by their fates, with an entry with the reason, and count their crashes", async () => {
        await store.createRuns([aRun(), aRun(), aRun()]);
        const [a, b, c] = await store.claimRuns(aClaim());
        if (!a || !b || !c) throw new Error("three runs are due");
        const error = { name: "WorkerLost", message: "out of memory", stack: null };
        await store.releaseLostRuns({
          workerId: "wrk_a",
          now: epoch + 2000,
          message: "out of memory",
          runs: [
            { id: a.id, fate: { kind: "resume" } },
            { id: b.id, fate: { kind: "isolate" } },
            {
              id: c.id,
              fate: {
                kind: "fail",
                transition: { to: "waiting", reason: "retry", availableAt: epoch + 3000 },
                entries: [{ at: epoch + 2000, kind: "attempt_failed", attempt: 1, error }],
              },
            },
          ],
        });
        expect(await store.listHeldRuns("wrk_a")).toEqual([]);
        expect(await claimOne(store)).toMatchObject({ id: a.id, attempt: 1, isResumed: true });
        expect(await claimOne(store, { pool: "isolated" })).toMatchObject({ id: b.id, attempt: 1, isResumed: true });
        expect(await kindsOf(store, c.id)).toEqual(["queued", "attempt_started", "worker_lost", "attempt_failed"]);
        expect((await store.listTimeline(c.id, { after: 0, limit: 10 }))[2]).toMatchObject({
          message: "out of memory",
          attempt: 1,
        });
        expect(await claimOne(store, { now: epoch + 3000 })).toMatchObject({ id: c.id, attempt: 2, isResumed: false });
        const crashes = new Map((await store.listHeldRuns("wrk_a")).map((run) => [run.id, run.crashes]));
        expect(crashes).toEqual(
          new Map([
            [a.id, 0],
            [b.id, 1],
            [c.id, 1],
          ]),
        );
      });

      it("that another worker has meanwhile are not changed", async () => {
        const run = await withRunningRun(store);
        await store.reconcile(leaseEnd);
        await claimOne(store, { workerId: "wrk_b", now: leaseEnd });
        const before = await kindsOf(store, run.id);
        await store.releaseLostRuns({
          workerId: "wrk_a",
          now: leaseEnd,
          message: "gone",
          runs: [{ id: run.id, fate: { kind: "isolate" } }],
        });
        expect(await store.listHeldRuns("wrk_b")).toMatchObject([{ id: run.id, crashes: 0 }]);
        expect(await kindsOf(store, run.id)).toEqual(before);
      });
    });

    it("has another mark for the topics of every visible change, and the same after heartbeats", async () => {
      let seen = await store.mark();
      /** The topics that changed since the last look. A removal can lead back to an earlier mark, not to the last one. */
      const changed = async () => {
        const now = await store.mark();
        const topics = storeTopics.filter((topic) => now[topic] !== seen[topic]);
        seen = now;
        return topics;
      };
      const state = { pool: "shared", isResponsive: true, freeSlots: 3 } as const;
      const worker = { id: "wrk_a", pid: 1, host: "h", version: "v", startedAt: epoch, seenAt: epoch, ...state };
      await store.heartbeatWorker(worker);
      expect(await changed()).toEqual([]);
      await store.recordDelivery(aDelivery());
      expect(await changed()).toEqual(["deliveries"]);
      const run = await withRunningRun(store);
      expect(await changed()).toEqual(["runs"]);
      await store.extendLeases({ runs: [run], now: epoch + 5, leaseMs });
      expect(await changed()).toEqual([]);
      await store.requestCancel(run.id, epoch + 6);
      expect(await changed()).toEqual(["runs"]);
      const delivery = aDelivery();
      await store.acceptDelivery({ delivery, runs: [aRun({ deliveryId: delivery.id })], idempotency: null });
      expect(await changed()).toEqual(["deliveries", "runs"]);
      const preset = { subject: { kind: "trigger", slug: "t" }, name: "n", now: epoch } as const;
      await store.savePreset({ ...preset, id: "pst_1", value: 1 });
      expect(await changed()).toEqual(["presets"]);
      await store.savePreset({ ...preset, id: "pst_2", value: 2 });
      expect(await changed()).toEqual(["presets"]);
      await store.removePreset("pst_2");
      expect(await changed()).toEqual(["presets"]);
      await store.switchTrigger({ slug: "t", disable: { at: epoch, reason: null } });
      expect(await changed()).toEqual(["switches"]);
    });

    it("lists the workers that were seen", async () => {
      const worker = { id: "wrk_a", pid: 1, host: "h", version: "v", startedAt: epoch, seenAt: epoch };
      await store.heartbeatWorker(worker);
      await store.heartbeatWorker({ ...worker, seenAt: epoch + 10 });
      await store.heartbeatWorker({ ...worker, id: "wrk_b" });
      expect(await store.listWorkers({ seenSince: epoch + 1 })).toMatchObject([{ ...worker, seenAt: epoch + 10 }]);
      await store.heartbeatWorker({ ...worker, seenAt: epoch + 20, isResponsive: false, freeSlots: 0 });
      expect(await store.listWorkers({ seenSince: epoch + 11 })).toMatchObject([{ isResponsive: false, freeSlots: 0 }]);
      await store.removeWorker("wrk_a");
      expect((await store.listWorkers({ seenSince: 0 })).map(({ id }) => id)).toEqual(["wrk_b"]);
    });
  });
}
