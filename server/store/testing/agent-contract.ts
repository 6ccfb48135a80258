import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunFilter } from "../../ports/store/run-store.ts";
import type { Spend } from "../../ports/store/engine-store.ts";
import type { Store } from "../../ports/store.ts";
import { aClaim, aRun, claimOne, epoch, type OpenStore, readPages, withRunningRun } from "./factories.ts";
import { isRunOf, spendFilters } from "./list-filters.ts";

const said = (text: string) => ({ text, toolCalls: ["\u0000\ud800"] });
const agent = { kind: "agent", slug: "triage" } as const;

/** The tests of agents' runs that every store passes. */
export function agentContract(open: OpenStore): void {
  describe("agents", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const say = (run: { id: string; token: string }, text: string, step = "model 1") =>
      store.saveLive({
        runId: run.id,
        token: run.token,
        step,
        attempt: 1,
        startedAt: epoch + 1,
        now: epoch + 2,
        said: said(text),
      });
    const spend = (run: { id: string; token: string }, spent: Spend) =>
      store.writeProgress({ runId: run.id, token: run.token, now: epoch, entries: [], spend: spent });

    describe("the spend of a run", () => {
      it("is zero at first, then the last written value, and absent for workflows", async () => {
        const workflow = aRun();
        await store.createRuns([workflow]);
        const held = await claimOne(store);
        await store.writeProgress({
          runId: held.id,
          token: held.token,
          now: epoch,
          entries: [],
          transition: { to: "completed", output: null },
        });
        const run = await withRunningRun(store, { target: agent, input: { prompt: "x".repeat(20_000) } });
        expect(await spentBy(store, run.id)).toEqual([0, null]);
        await spend(run, { tokens: 110, costUsd: 0.000345 });
        expect(await spentBy(store, run.id)).toEqual([110, 0.000345]);
        await spend(run, { tokens: 5_000_000_000, costUsd: null });
        await store.writeProgress({
          runId: run.id,
          token: run.token,
          now: epoch,
          entries: [],
          transition: { to: "completed", output: null },
        });
        expect(await spentBy(store, run.id)).toEqual([5_000_000_000, null]);
        expect(await spentBy(store, workflow.id)).toEqual([null, null]);
      });

      it("is written under the run's token, together with the rest", async () => {
        await store.createRuns([aRun({ target: agent }), aRun({ target: agent })]);
        const [a, b] = await store.claimRuns(aClaim());
        if (!a || !b) throw new Error("two runs were to be due");
        const answers = await Promise.all([
          spend(a, { tokens: 7, costUsd: 0.5 }),
          spend({ ...b, token: a.token }, { tokens: 9, costUsd: 0.5 }),
        ]);
        expect(answers.map(({ held }) => held)).toEqual([true, false]);
        expect([await spentBy(store, a.id), await spentBy(store, b.id)]).toEqual([
          [7, 0.5],
          [0, null],
        ]);
      });

      it("is a filter of lists, and is summed for each agent over the same runs as listed", async () => {
        const rows = fc.array(
          fc.record({
            target: fc.record({ kind: fc.constantFrom("agent", "workflow"), slug: fc.constantFrom("a", "b") }),
            trigger: fc.constantFrom("t", "u"),
            version: fc.constantFrom("v1", "v2"),
            createdAt: fc.integer({ min: epoch, max: epoch + 7 }),
            spent: fc.record({
              tokens: fc.integer({ min: 0, max: 7 }),
              costUsd: fc.option(fc.constantFrom(0, 0.25, 0.5, 1)),
            }),
          }),
          { maxLength: 10 },
        );
        await fc.assert(
          fc.asyncProperty(rows, spendFilters, fc.integer({ min: 1, max: 4 }), async (rows, filter, limit) => {
            const own = await open();
            const made = rows.map(({ spent, ...row }) => ({ spent, run: aRun(row) }));
            await own.createRuns(made.map(({ run }) => run));
            const tokens = new Map((await own.claimRuns(aClaim())).map(({ id, token }) => [id, token]));
            for (const { run, spent } of made)
              if (run.target.kind === "agent")
                await own.writeProgress({
                  runId: run.id,
                  token: tokens.get(run.id) ?? "",
                  now: epoch,
                  entries: [],
                  spend: spent,
                });
            const stored = await Promise.all(made.map(({ run }) => own.getRun(run.id)));
            const pages = await readPages((cursor) => own.listRuns(filter, { limit, cursor }));
            const sums = await own.sumSpend(filter);
            await own.close();
            const wanted = stored
              .filter((run) => run !== null)
              .filter((run) => isRunOf(filter, run))
              .sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt) || (a.id < b.id ? 1 : -1));
            expect(pages.flat().map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
            const byAgent = Map.groupBy(
              wanted.filter(({ target }) => target.kind === "agent"),
              ({ target }) => target.slug,
            );
            const spentById = new Map(made.map(({ run, spent }) => [run.id, spent]));
            const expected = [...byAgent].map(([agent, runs]) => {
              const spent = runs.flatMap(({ id }) => spentById.get(id) ?? []);
              const costs = spent.flatMap(({ costUsd }) => costUsd ?? []);
              return {
                agent,
                runs: runs.length,
                pricedRuns: costs.length,
                tokens: sumOf(spent.map((one) => one.tokens)),
                costUsd: sumOf(costs),
              };
            });
            expect({ ...sums, agents: sums.agents.toSorted(byName) }).toEqual({
              agents: expected.toSorted(byName),
              isCapped: false,
            });
          }),
          { numRuns: 50 },
        );
      });
    });

    it("lists the runs that wait for an approval, and no others", async () => {
      const request = { toolCallId: "a", toolName: "refund", input: {} };
      const wait = async (run: { id: string; token: string }, kind: "approval" | "sleep") => {
        const steps = [
          {
            name: "one",
            kind,
            attempt: 1,
            startedAt: epoch,
            finishedAt: null,
            until: epoch + 1e9,
            result: { request },
            sequence: null,
          },
        ];
        await store.writeProgress({
          runId: run.id,
          token: run.token,
          now: epoch,
          entries: [],
          steps,
          transition: { to: "waiting", reason: "sleep", availableAt: epoch + 1e9 },
        });
      };
      const [asking, decided, canceled, asleep] = [
        await withRunningRun(store, { target: agent }),
        await withRunningRun(store, { target: agent }),
        await withRunningRun(store, { target: agent }),
        await withRunningRun(store),
      ];
      for (const run of [asking, decided, canceled]) await wait(run, "approval");
      await wait(asleep, "sleep");
      await store.decideApproval({
        runId: decided.id,
        name: "one",
        decision: { isApproved: true, reason: null, by: "Ada" },
        now: epoch,
      });
      await store.requestCancel(canceled.id, epoch);
      const listed = async (filter: RunFilter) =>
        (await store.listRuns({ ...filter, needsApproval: true }, { limit: 10, cursor: null })).data.map(
          ({ id }) => id,
        );
      expect(await listed({})).toEqual([asking.id]);
      expect([
        await listed({ target: "triage", targetKind: "agent" }),
        await listed({ target: "other" }),
        await listed({ status: "failed" }),
        await listed({ minTokens: 1 }),
      ]).toEqual([[asking.id], [], [], []]);
    });

    describe("the live output of a model", () => {
      it("is the last written one, and changes the live mark, but not the mark of the store", async () => {
        const run = await withRunningRun(store, { target: agent });
        expect(await store.getLive(run.id)).toBeNull();
        const history = await store.mark();
        const marks = [await store.liveMark()];
        for (const text of ["He", "Hello", "Hello"]) {
          expect(await say(run, text)).toEqual({ held: true });
          expect(await store.getLive(run.id)).toEqual({
            step: "model 1",
            attempt: 1,
            startedAt: epoch + 1,
            updatedAt: epoch + 2,
            said: said(text),
          });
          marks.push(await store.liveMark());
        }
        expect(new Set(marks).size).toBe(4);
        expect(await store.liveMark()).toBe(marks.at(-1));
        expect(await store.mark()).toEqual(history);
      });

      it("is removed in the transaction that writes its step", async () => {
        const run = await withRunningRun(store, { target: agent });
        await say(run, "Hello");
        const step = {
          name: "model 1",
          kind: "step" as const,
          attempt: 1,
          startedAt: epoch,
          finishedAt: epoch + 3,
          until: null,
          result: "Hello",
          sequence: 1,
        };
        await store.writeProgress({
          runId: run.id,
          token: run.token,
          now: epoch,
          entries: [],
          steps: [step],
          clearsLive: true,
        });
        expect(await store.getLive(run.id)).toBeNull();
        await say(run, "Next", "model 2");
        expect(await store.getLive(run.id)).toMatchObject({ step: "model 2" });
      });

      it("is written only by the worker that has the run", async () => {
        const runs = Array.from({ length: 5 }, () => aRun({ target: agent }));
        await store.createRuns(runs);
        const [first, ...others] = await store.claimRuns(aClaim());
        if (!first) throw new Error("runs were to be due");
        const answers = await Promise.all([
          ...others.map((run) => say(run, run.id)),
          say({ ...first, token: "tok_other" }, "stale"),
          say({ id: "run_unknown", token: first.token }, "unclaimed"),
        ]);
        expect(answers.map(({ held }) => held)).toEqual([true, true, true, true, false, false]);
        expect(await store.getLive(first.id)).toBeNull();
        for (const run of others) expect(await store.getLive(run.id)).toMatchObject({ said: said(run.id) });
      });

      it.each<[string, (run: { id: string; token: string }) => Promise<unknown>]>([
        [
          "was lost with its worker",
          (run) =>
            store.releaseLostRuns({
              workerId: "wrk_a",
              now: epoch,
              message: "gone",
              runs: [{ id: run.id, fate: { kind: "resume" } }],
            }),
        ],
        ["has lost its lease", () => store.reconcile(epoch + 3_600_000)],
        [
          "returned to the queue",
          (run) =>
            store.writeProgress({
              runId: run.id,
              token: run.token,
              now: epoch,
              entries: [],
              transition: { to: "queued" },
            }),
        ],
      ])("is not shown for a run that %s, nor after another worker has claimed it", async (_, lose) => {
        const run = await withRunningRun(store, { target: agent });
        await say(run, "Hello");
        const before = await store.mark();
        await lose(run);
        expect(await store.getLive(run.id)).toBeNull();
        const next = await claimOne(store, { workerId: "wrk_b" });
        expect(await store.getLive(run.id)).toBeNull();
        expect(await say(run, "late")).toEqual({ held: false });
        expect(await store.getLive(run.id)).toBeNull();
        expect((await store.mark()).runs).not.toBe(before.runs);
        await say(next, "Again");
        expect(await store.getLive(run.id)).toMatchObject({ said: said("Again") });
      });

      it("notifies listeners", async () => {
        const run = await withRunningRun(store, { target: agent });
        const changed = Promise.withResolvers<string>();
        const before = await store.liveMark();
        const stop = store.watch(() => void store.liveMark().then((mark) => mark !== before && changed.resolve(mark)));
        await say(run, "Hello");
        expect(await changed.promise).toBe(await store.liveMark());
        stop();
      });
    });
  });
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function byName(one: { agent: string }, other: { agent: string }): number {
  return one.agent < other.agent ? -1 : 1;
}

/** Checks that the run itself, a list and findRuns return the same. */
async function spentBy(store: Store, id: string): Promise<unknown[]> {
  const listed = (await store.listRuns({}, { limit: 100, cursor: null })).data.filter((run) => run.id === id);
  const all = [await store.getRun(id), ...(await store.findRuns([id])), ...listed].map((run) => [
    run?.tokens,
    run?.costUsd,
  ]);
  expect(all).toEqual([all[0], all[0], all[0]]);
  return all[0] ?? [];
}
