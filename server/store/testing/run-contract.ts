import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Json } from "../../contract/json.ts";
import type { StepRecord } from "../../ports/store/engine-store.ts";
import { type StartKey, startKeyWindowMs, toStartedRun } from "../../domain/runs/start-key.ts";
import type { RunFilter } from "../../ports/store/run-store.ts";
import type { Store } from "../../ports/store.ts";
import { listBudget } from "../../domain/list-budget.ts";
import { aClaim, aDelivery, aRun, epoch, kindsOf, type OpenStore, readPages, withRunningRun } from "./factories.ts";
import { isRunOf, runFilters } from "./list-filters.ts";

const aStartKey = (given: Partial<StartKey> = {}): StartKey => ({ id: "k", bodySha256: "b", now: epoch, ...given });

/** The tests of runs that every store passes. */
export function runContract(open: OpenStore): void {
  describe("runs", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());
    const countRuns = async () => (await store.listRuns({}, { limit: 100, cursor: null })).data.length;

    it("lists the steps of a run in the order of their starts, in pages and by name, and those of no other run", async () => {
      await withRunningRun(store);
      const { id, token } = await withRunningRun(store);
      const steps = [aStep("b", { rows: [1, "\u0000"] }), aStep("a", null), aStep("b#2", "again")];
      await store.writeProgress({ runId: id, token, now: epoch, entries: [], steps });
      const first = await store.listSteps(id, { after: 0, limit: 2 });
      expect(first).toMatchObject(steps.slice(0, 2));
      const rest = await store.listSteps(id, { after: first[1]?.position ?? 0, limit: 2 });
      expect(rest).toEqual([{ ...steps[2], position: rest[0]?.position }]);
      expect(await store.listSteps(id, { name: "b", after: 0, limit: 9 })).toEqual(first.slice(0, 1));
      expect(await store.listSteps(id, { name: "c", after: 0, limit: 9 })).toEqual([]);
      expect(await store.listSteps("run_unknown", { after: 0, limit: 9 })).toEqual([]);
    });

    it("returns a run with its payloads, and with every property", async () => {
      const run = aRun({
        trigger: null,
        attachmentId: null,
        startedBy: "api",
        payload: null,
        input: { deep: [1, "\u0000\ud800", null] },
        replayOf: "run_old",
        key: "customer 7",
      });
      await store.createRuns([run]);
      expect(await store.getRun(run.id)).toEqual({
        id: run.id,
        status: "queued",
        trigger: null,
        attachmentId: null,
        target: { kind: "workflow", slug: "welcome-email" },
        deliveryId: null,
        startedBy: "api",
        replayOf: "run_old",
        replayedAs: null,
        failureOf: null,
        childOf: null,
        key: "customer 7",
        version: "v1",
        attempt: 0,
        maxAttempts: 3,
        tokens: null,
        costUsd: null,
        payload: null,
        input: { deep: [1, "\u0000\ud800", null] },
        output: null,
        error: null,
        createdAt: "2026-01-01T00:00:00.000Z",
        resumedAt: null,
        startedAt: null,
        finishedAt: null,
        keyId: null,
      });
      expect(await store.getRun("run_unknown")).toBeNull();
    });

    it("creates runs all or none", async () => {
      const first = aRun();
      await expect(store.createRuns([first, aRun(), { ...aRun(), id: first.id }])).rejects.toThrow(/unique/i);
      expect(await store.getRun(first.id)).toBeNull();
    });

    it("lists runs without payloads and without the stack of an error", async () => {
      const { id, token } = await withRunningRun(store);
      const error = { name: "Error", message: "no", stack: "Error: no\n  at x" };
      await store.writeProgress({
        runId: id,
        token,
        now: epoch + 2000,
        entries: [],
        transition: { to: "failed", error },
      });
      const [row] = (await store.listRuns({}, { limit: 1, cursor: null })).data;
      expect(row).toMatchObject({
        id,
        status: "failed",
        error: { name: "Error", message: "no" },
        finishedAt: "2026-01-01T00:00:02.000Z",
      });
      expect(row?.error).not.toHaveProperty("stack");
      for (const name of ["payload", "input", "output", "keyId"]) expect(row).not.toHaveProperty(name);
      expect((await store.getRun(id))?.error).toEqual(error);
    });

    it("finds the requested runs, in the form of a list, newest first", async () => {
      const runs = [aRun({ createdAt: epoch }), aRun({ createdAt: epoch + 2 }), aRun({ createdAt: epoch + 1 })];
      await store.createRuns(runs);
      const [oldest, newest] = runs;
      const found = await store.findRuns([oldest?.id ?? "", "run_unknown", newest?.id ?? ""]);
      const listed = (await store.listRuns({}, { limit: 3, cursor: null })).data;
      expect(found).toEqual([listed[0], listed[2]]);
      expect(await store.findRuns([])).toEqual([]);
    });

    it("lists every run exactly once over all pages, newest first, with any filters", async () => {
      const rows = fc.array(
        fc.record({
          trigger: fc.constantFrom("t", "u"),
          target: fc.record({ kind: fc.constantFrom("workflow", "agent"), slug: fc.constantFrom("a", "b") }),
          deliveryId: fc.constantFrom("dlv_1", "dlv_2"),
          keyId: fc.constantFrom("key_1", "key_2"),
          key: fc.constantFrom("customer 1", "customer 2", "", null),
          version: fc.constantFrom("v1", "v2"),
          replayOf: fc.constantFrom("run_1", "run_2"),
          failureOf: fc.constantFrom("run_1", "run_2"),
          createdAt: fc.integer({ min: epoch, max: epoch + 7 }),
          payload: fc.constantFrom(null, { name: "Über x" }, "ÜBER X"),
          input: fc.constantFrom(null, { to: "B" }),
          isCanceled: fc.boolean(),
        }),
        { maxLength: 15 },
      );
      await fc.assert(
        fc.asyncProperty(rows, runFilters, fc.integer({ min: 1, max: 4 }), async (rows, filter, limit) => {
          const own = await open();
          await Promise.all(["dlv_1", "dlv_2"].map((id) => own.recordDelivery(aDelivery({ id }))));
          const made = rows.map(({ isCanceled, ...row }) => ({ isCanceled, run: aRun(row) }));
          await own.createRuns(made.map(({ run }) => run));
          for (const { isCanceled, run } of made) if (isCanceled) await own.requestCancel(run.id, epoch);
          const stored = await Promise.all(made.map(({ run }) => own.getRun(run.id)));
          const pages = await readPages((cursor) => own.listRuns(filter, { limit, cursor }));
          await own.close();
          const wanted = stored
            .filter((run) => run !== null)
            .filter((run) => isRunOf(filter, run))
            .sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt) || (a.id < b.id ? 1 : -1));
          expect(pages.flat().map((run) => run.id)).toEqual(wanted.map((run) => run.id));
          for (const page of pages.slice(0, -1)) expect(page.length).toBeLessThanOrEqual(limit);
        }),
        { numRuns: 60 },
      );
    });

    it.each<RunFilter>([
      {},
      { trigger: "new-signup" },
      { target: "welcome-email" },
      { status: "queued" },
      { version: "v1" },
      { replayOf: "run_1" },
      { keyId: "key_1" },
      { key: "customer 1" },
      { since: epoch },
    ])("fills every page but the last with %j", async (filter) => {
      await store.createRuns(
        [0, 1, 2, 3, 4, 5, 6].map((n) =>
          aRun({ createdAt: epoch + n, replayOf: "run_1", keyId: "key_1", key: "customer 1" }),
        ),
      );
      const pages = await readPages((cursor) => store.listRuns(filter, { limit: 3, cursor }));
      expect(pages.map((page) => page.length)).toEqual([3, 3, 1]);
    });

    const find = async (filter: RunFilter, limit: number) =>
      (await readPages((cursor) => store.listRuns(filter, { limit, cursor }))).flat().map(({ id }) => id);

    it("finds rare runs among many, each once and in order", async () => {
      const runs = Array.from({ length: 2000 }, (_, n) =>
        aRun({
          createdAt: epoch + n,
          trigger: n % 2 === 0 ? "even" : "odd",
          payload: (n % 400 === 0 ? "needle" : "hay") + "x".repeat(n % 7 === 0 ? 5_000 : 0),
          version: n % 225 === 0 ? "v2" : "v1",
        }),
      );
      await store.createRuns(runs);
      const idsOf = (...numbers: number[]) => numbers.map((n) => runs[n]?.id);
      for (const limit of [1, 2, 100]) {
        expect(await find({ text: "needle" }, limit)).toEqual(idsOf(1600, 1200, 800, 400, 0));
        expect(await find({ trigger: "even", version: "v2" }, limit)).toEqual(idsOf(1800, 1350, 900, 450, 0));
        expect(await find({ trigger: "odd", text: "needle" }, limit)).toEqual([]);
        expect(await find({ targetKind: "agent" }, limit)).toEqual([]);
      }
    });

    it.each<RunFilter>([{}, { trigger: "new-signup" }, { version: "v1" }, { text: "ada" }, { since: epoch + 1 }])(
      "has only new rows with newerThan, and late ones of ten seconds: %j",
      async (filter) => {
        const addAt = async (...seconds: number[]) => {
          const runs = seconds.map((second) => aRun({ createdAt: epoch + second * 1000, payload: { name: "Ada" } }));
          await store.createRuns(runs);
          return runs.map(({ id }) => id);
        };
        const read = (newerThan: string | null, limit: number) =>
          readPages((cursor) => store.listRuns(filter, { limit, cursor, newerThan }));
        const newest = async (newerThan: string | null) =>
          (await store.listRuns(filter, { limit: 10, cursor: null, newerThan })).newest ?? null;
        expect(await newest(null)).toBeNull();
        const [, , last] = await addAt(1, 9, 20);
        const first = await newest(null);
        expect(await newest(first)).toBe(first);
        const [late, fresh, other] = await addAt(11, 30, 31);
        for (const limit of [1, 2, 100])
          expect((await read(first, limit)).flat().map(({ id }) => id)).toEqual([other, fresh, last, late]);
        expect((await read(await newest(first), 100)).flat().map(({ id }) => id)).toEqual([other, fresh]);
        expect(await store.listRuns(filter, { limit: 10, cursor: null })).not.toHaveProperty("newest");
      },
    );

    it("counts the runs of a filter by bucket and status, as the list has them", async () => {
      const minute = 60_000;
      const start = epoch - (epoch % minute);
      const runs = Array.from({ length: 1_500 }, (_, n) =>
        aRun({ createdAt: start + (n % 10) * minute + n, trigger: n % 3 === 0 ? "rare" : "often" }),
      );
      await store.createRuns(runs);
      await store.requestCancel(runs[3]?.id ?? "", start + minute);
      const { countMs } = listBudget;
      onTestFinished(() => void (listBudget.countMs = countMs));
      listBudget.countMs = 60_000;
      const count = async (filter: RunFilter) => {
        const { buckets, countedSince } = await store.countRuns(filter, minute);
        expect(countedSince).toBeNull();
        return buckets.toSorted((a, b) => a.at - b.at || (a.status < b.status ? -1 : 1));
      };
      const all = Array.from({ length: 10 }, (_, n) => ({ at: start + n * minute, status: "queued", count: 150 }));
      const canceled = { at: start + 3 * minute, status: "canceled", count: 1 };
      expect(await count({})).toEqual(all.flatMap((one, n) => (n === 3 ? [canceled, { ...one, count: 149 }] : [one])));
      expect(await count({ status: "canceled" })).toEqual([canceled]);
      expect(await count({ trigger: "rare", since: start + 8 * minute, until: start + 9 * minute })).toEqual([
        { at: start + 8 * minute, status: "queued", count: 50 },
      ]);
      expect(await count({ target: "none" })).toEqual([]);
      listBudget.countMs = 0;
      const newest = await store.countRuns({}, minute);
      const counted = newest.buckets.reduce((sum, { count }) => sum + count, 0);
      const since = newest.countedSince ?? 0;
      expect(counted).toBeGreaterThanOrEqual(runs.filter(({ createdAt }) => createdAt >= since).length);
    });

    it.each([
      ["words of the payload in either case", { payload: { name: "Ada Lovelace" } }, "ada LOVE", true],
      ["words of the input", { payload: null, input: "Ada" }, "ada", true],
      ["a piece of JSON, as short as it is kept", { payload: { amount: 100 } }, '"amount":100', true],
      ["what JSON escapes", { payload: 'say "hi"\n' }, '"hi"\n', true],
      ["characters that do not print", { payload: "a\u0001b" }, "A\u0001B", true],
      ["letters beyond ASCII", { payload: "Müller 😀" }, "müller 😀", true],
      ["no wildcards", { payload: "100%" }, "1%", false],
    ])("finds %s", async (_, given, text, isFound) => {
      const run = aRun(given);
      await store.createRuns([run]);
      const found = await readPages((cursor) => store.listRuns({ text }, { limit: 10, cursor }));
      expect(found.flat().map(({ id }) => id)).toEqual(isFound ? [run.id] : []);
    });

    it("returns the timeline in pages, oldest first, with every property", async () => {
      const { id, token } = await withRunningRun(store);
      const error = { name: "E", message: "m", stack: null };
      await store.writeProgress({
        runId: id,
        token,
        now: epoch + 5,
        entries: [
          { at: epoch + 3, kind: "log", attempt: 1, level: "warn", message: "hm", data: { n: [1] } },
          { at: epoch + 4, kind: "step_failed", attempt: 1, name: "s", durationMs: 1.5, error },
        ],
      });
      const all = await store.listTimeline(id, { after: 0, limit: 100 });
      expect(all.map((entry) => entry.kind)).toEqual(["queued", "attempt_started", "log", "step_failed"]);
      const absent = { name: null, level: null, message: null, durationMs: null, until: null, error: null, data: null };
      const [queued, started, log, failed] = all;
      expect(queued).toEqual({ ...absent, id: queued?.id, at: "2026-01-01T00:00:00.000Z", kind: "queued", attempt: 0 });
      expect(log).toEqual({
        ...absent,
        id: log?.id,
        at: "2026-01-01T00:00:00.003Z",
        kind: "log",
        attempt: 1,
        level: "warn",
        message: "hm",
        data: { n: [1] },
      });
      expect(failed).toMatchObject({ name: "s", durationMs: 1.5, error });
      expect(await store.listTimeline(id, { after: queued?.id ?? 0, limit: 2 })).toEqual([started, log]);
      expect(await store.listTimeline("run_unknown", { after: 0, limit: 2 })).toEqual([]);
    });

    it("cancels a queued run immediately and permanently", async () => {
      const run = aRun();
      await store.createRuns([run]);
      expect(await store.requestCancel(run.id, epoch + 5)).toBe("canceled");
      expect(await store.getRun(run.id)).toMatchObject({ status: "canceled", finishedAt: "2026-01-01T00:00:00.005Z" });
      expect(await kindsOf(store, run.id)).toEqual(["queued", "canceled"]);
      expect(await store.requestCancel(run.id, epoch + 6)).toBe("ended");
      expect(await store.claimRuns(aClaim())).toEqual([]);
    });

    it("cancels a waiting run immediately", async () => {
      const { id, token } = await withRunningRun(store);
      await store.writeProgress({
        runId: id,
        token,
        now: epoch,
        entries: [],
        transition: { to: "waiting", reason: "sleep", availableAt: epoch + 1e9 },
      });
      expect(await store.requestCancel(id, epoch + 5)).toBe("canceled");
      expect(await store.nextAvailableAt("shared")).toBeNull();
    });

    it("records the request to cancel a running run, once", async () => {
      const { id, token } = await withRunningRun(store);
      expect(await store.requestCancel(id, epoch + 5)).toBe("requested");
      expect(await store.requestCancel(id, epoch + 6)).toBe("requested");
      expect(await store.getRun(id)).toMatchObject({ status: "running" });
      expect(await kindsOf(store, id)).toEqual(["queued", "attempt_started", "cancel_requested"]);
      expect(await store.writeProgress({ runId: id, token, now: epoch, entries: [] })).toEqual({
        held: true,
        cancelRequested: true,
      });
    });

    it("reports a missing run", async () => {
      expect(await store.requestCancel("run_unknown", epoch)).toBe("missing");
    });

    describe("an approval", () => {
      const decision = { isApproved: true, reason: null, by: "Ada" };
      const request = { toolCallId: "a", toolName: "refund", input: { cents: 7 } };
      const until = epoch + 1e9;

      /** A run that waits for these approvals. */
      async function withApprovals(...names: string[]): Promise<string> {
        const { id, token } = await withRunningRun(store);
        const steps = names.map((name) => ({
          name,
          kind: "approval" as const,
          attempt: 1,
          startedAt: epoch,
          finishedAt: null,
          until,
          result: { request, usedMs: 5 },
          sequence: null,
        }));
        await store.writeProgress({
          runId: id,
          token,
          now: epoch,
          entries: [],
          steps,
          transition: { to: "waiting", reason: "sleep", availableAt: until },
        });
        return id;
      }

      it("ends with its decision, beside the request, and its run is due", async () => {
        const id = await withApprovals("approval a");
        expect(await store.claimRuns(aClaim({ now: epoch + 10 }))).toEqual([]);
        expect(await store.decideApproval({ runId: id, name: "approval a", decision, now: epoch + 10 })).toBe(
          "decided",
        );
        expect(await store.loadSteps(id)).toMatchObject([
          { name: "approval a", kind: "approval", finishedAt: epoch + 10, result: { request, usedMs: 5, decision } },
        ]);
        expect(await store.listTimeline(id, { after: 0, limit: 10 })).toContainEqual(
          expect.objectContaining({ kind: "approval_decided", name: "approval a", data: decision }),
        );
        expect(await store.claimRuns(aClaim({ now: epoch + 10 }))).toMatchObject([{ id, isResumed: true, attempt: 1 }]);
      });

      it("leaves its run waiting if it has other pending approvals", async () => {
        const id = await withApprovals("approval a", "approval b");
        await store.decideApproval({ runId: id, name: "approval b", decision, now: epoch + 10 });
        expect(await store.claimRuns(aClaim({ now: epoch + 10 }))).toEqual([]);
        await store.decideApproval({ runId: id, name: "approval a", decision, now: epoch + 11 });
        expect(await store.claimRuns(aClaim({ now: epoch + 11 }))).toMatchObject([{ id }]);
      });

      it("is decided once, by the first decision", async () => {
        const id = await withApprovals("approval a", "approval b");
        const answers = await Promise.all(
          [true, false].map((isApproved) =>
            store.decideApproval({
              runId: id,
              name: "approval a",
              decision: { ...decision, isApproved },
              now: epoch + 10,
            }),
          ),
        );
        expect(answers).toEqual(["decided", "closed"]);
        expect(await store.loadSteps(id)).toMatchObject([
          { name: "approval a", result: { decision: { isApproved: true } } },
          { name: "approval b", finishedAt: null },
        ]);
      });

      it("is closed if its run is running or has ended; an unknown one is missing", async () => {
        const id = await withApprovals("approval a");
        expect(await store.decideApproval({ runId: id, name: "approval b", decision, now: epoch })).toBe("missing");
        expect(await store.decideApproval({ runId: "run_unknown", name: "approval a", decision, now: epoch })).toBe(
          "missing",
        );
        await store.claimRuns(aClaim({ now: until }));
        expect(await store.decideApproval({ runId: id, name: "approval a", decision, now: until })).toBe("closed");
        const canceled = await withApprovals("approval a");
        await store.requestCancel(canceled, epoch);
        expect(await store.decideApproval({ runId: canceled, name: "approval a", decision, now: epoch })).toBe(
          "closed",
        );
        expect(await store.loadSteps(canceled)).toMatchObject([{ finishedAt: null }]);
      });
    });

    describe("of a request with an idempotency key", () => {
      it("are created by the first request, and later ones get them for a day", async () => {
        const [first, repeated, other, later] = [aRun(), aRun(), aRun(), aRun()];
        expect(await store.createRunsOnce([first], aStartKey())).toBeNull();
        expect(await store.createRunsOnce([repeated], aStartKey({ now: epoch + startKeyWindowMs - 1 }))).toEqual([
          toStartedRun(first),
        ]);
        expect(await store.createRunsOnce([other], aStartKey({ id: "l" }))).toBeNull();
        expect(await countRuns()).toBe(2);
        expect(await store.createRunsOnce([later], aStartKey({ now: epoch + startKeyWindowMs }))).toBeNull();
        expect(await store.createRunsOnce([aRun()], aStartKey({ now: epoch + startKeyWindowMs }))).toEqual([
          toStartedRun(later),
        ]);
        expect(await countRuns()).toBe(3);
        expect(await kindsOf(store, first.id)).toEqual(["queued"]);
      });

      it("are created once by concurrent requests", async () => {
        const runs = Array.from({ length: 10 }, () => aRun());
        const answers = await Promise.all(runs.map((run) => store.createRunsOnce([run], aStartKey())));
        const created = runs.filter((_, at) => answers[at] === null);
        expect(created).toHaveLength(1);
        const expected = created.map(toStartedRun);
        expect(answers.filter((found) => found !== null)).toEqual(Array.from({ length: 9 }, () => expected));
        expect(await countRuns()).toBe(1);
      });

      it("are not created if the body differs", async () => {
        const first = aRun();
        await store.createRunsOnce([first], aStartKey());
        await expect(store.createRunsOnce([aRun()], aStartKey({ bodySha256: "c" }))).rejects.toMatchObject({
          code: "idempotency_conflict",
          message: expect.stringContaining(first.id),
        });
        expect(await countRuns()).toBe(1);
      });

      it("leave the key unused if their queue is full", async () => {
        await store.createRuns([aRun()]);
        const full = aRun({ maxQueued: 1 });
        await expect(store.createRunsOnce([full], aStartKey())).rejects.toMatchObject({ code: "queue_full" });
        expect(await store.createRunsOnce([{ ...full, maxQueued: 2 }], aStartKey())).toBeNull();
      });

      it("are forgotten by their key when upkeep removes it", async () => {
        await store.createRunsOnce([aRun()], aStartKey());
        await store.createRunsOnce([aRun()], aStartKey({ id: "l", now: epoch + 1 }));
        expect(await store.removeOldStartKeys({ before: epoch + 1 })).toEqual({ removed: 1, next: null });
        expect(await store.createRunsOnce([aRun()], aStartKey())).toBeNull();
        expect(await store.createRunsOnce([aRun()], aStartKey({ id: "l", now: epoch + 1 }))).not.toBeNull();
      });
    });

    it("counts open runs", async () => {
      expect(await store.countOpenRuns()).toEqual({ queued: 0, running: 0, waiting: 0 });
      await store.createRuns([aRun(), aRun(), aRun(), aRun()]);
      const [first, second] = await store.claimRuns(aClaim({ limit: 2 }));
      await store.writeProgress({
        runId: first?.id ?? "",
        token: first?.token ?? "",
        now: epoch,
        entries: [],
        transition: { to: "completed", output: null },
      });
      await store.writeProgress({
        runId: second?.id ?? "",
        token: second?.token ?? "",
        now: epoch,
        entries: [],
        transition: { to: "waiting", reason: "retry", availableAt: epoch + 1e6 },
      });
      await store.claimRuns(aClaim({ limit: 1 }));
      expect(await store.countOpenRuns()).toEqual({ queued: 1, running: 1, waiting: 1 });
    });
  });
}

function aStep(name: string, result: Json): StepRecord {
  return {
    name,
    kind: "step",
    attempt: 1,
    startedAt: epoch,
    finishedAt: epoch + 5,
    until: null,
    result,
    sequence: null,
  };
}
