import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunFilter, Spend, SpendFilter, Store } from "../../ports/store.ts";
import { aClaim, aRun, claimOne, epoch, type OpenStore, readPages, withRunningRun } from "./factories.ts";

const agent = { kind: "agent", slug: "triage" } as const;

/** What every store promises about runs of agents, beside what it promises about all runs. */
export function agentContract(open: OpenStore): void {
  describe("agents", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const spend = (run: { id: string; token: string }, spent: Spend) => store.writeProgress({ runId: run.id, token: run.token, now: epoch, entries: [], spend: spent });

    describe("what a run has used", () => {
      it("is nothing at first, then what was written last, and nothing is counted of workflows", async () => {
        const workflow = aRun();
        await store.createRuns([workflow]);
        const held = await claimOne(store);
        await store.writeProgress({ runId: held.id, token: held.token, now: epoch, entries: [], transition: { to: "completed", output: null } });
        const run = await withRunningRun(store, { target: agent, input: { prompt: "x".repeat(20_000) } });
        expect(await spentBy(store, run.id)).toEqual([0, null]);
        await spend(run, { tokens: 110, costUsd: 0.000345 });
        expect(await spentBy(store, run.id)).toEqual([110, 0.000345]);
        await spend(run, { tokens: 5_000_000_000, costUsd: null });
        await store.writeProgress({ runId: run.id, token: run.token, now: epoch, entries: [], transition: { to: "completed", output: null } });
        expect(await spentBy(store, run.id)).toEqual([5_000_000_000, null]);
        expect(await spentBy(store, workflow.id)).toEqual([null, null]);
      });

      it("is written under the run's token, together with the rest", async () => {
        await store.createRuns([aRun({ target: agent }), aRun({ target: agent })]);
        const [a, b] = await store.claimRuns(aClaim());
        if (!a || !b) throw new Error("two runs were to be due");
        const answers = await Promise.all([spend(a, { tokens: 7, costUsd: 0.5 }), spend({ ...b, token: a.token }, { tokens: 9, costUsd: 0.5 })]);
        expect(answers.map(({ held }) => held)).toEqual([true, false]);
        expect([await spentBy(store, a.id), await spentBy(store, b.id)]).toEqual([[7, 0.5], [0, null]]);
      });

      it("is a filter of lists, and is summed for each agent over the very runs that are listed", async () => {
        const asked = { target: fc.constantFrom("a", "b"), trigger: fc.constantFrom("t", "u"), version: fc.constantFrom("v1", "v2"), targetKind: fc.constantFrom("agent" as const, "workflow" as const) };
        const spent = fc.record({ tokens: fc.integer({ min: 0, max: 4 }), costUsd: fc.option(fc.constantFrom(0, 0.25, 0.5, 1)) });
        const rows = fc.array(fc.record({ ...asked, at: fc.integer({ min: 0, max: 5 }), spent }), { maxLength: 10 });
        const filters: fc.Arbitrary<SpendFilter> = fc.record(
          {
            ...asked,
            status: fc.constantFrom("running" as const, "queued" as const),
            minTokens: fc.integer({ min: 0, max: 4 }),
            minCostUsd: fc.constantFrom(0, 0.25, 0.5),
            since: fc.integer({ min: epoch, max: epoch + 5 }),
            until: fc.integer({ min: epoch, max: epoch + 6 }),
          },
          { requiredKeys: [] },
        );
        await fc.assert(
          fc.asyncProperty(rows, filters, fc.integer({ min: 1, max: 4 }), async (rows, filter, limit) => {
            const own = await open();
            const made = rows.map((row) => ({ ...row, run: aRun({ trigger: row.trigger, version: row.version, target: { kind: row.targetKind, slug: row.target }, createdAt: epoch + row.at }) }));
            await own.createRuns(made.map(({ run }) => run));
            const tokens = new Map((await own.claimRuns(aClaim())).map(({ id, token }) => [id, token]));
            const agents = made.filter(({ targetKind }) => targetKind === "agent");
            for (const { run, spent } of agents) await own.writeProgress({ runId: run.id, token: tokens.get(run.id) ?? "", now: epoch, entries: [], spend: spent });
            const pages = await readPages((cursor) => own.listRuns(filter, { limit, cursor }));
            const sums = await own.sumSpend(filter);
            await own.close();
            const { minTokens, minCostUsd } = filter;
            const wanted = made
              .filter(({ run, at: _at, spent, ...row }) => {
                const { since = 0, until = Infinity, status = "running", minTokens: _, minCostUsd: __, ...same } = filter;
                if (run.createdAt < since || run.createdAt >= until || status !== "running") return false;
                if (!Object.entries(same).every(([name, value]) => Object.entries(row).some(([n, v]) => n === name && v === value))) return false;
                if (minTokens === undefined && minCostUsd === undefined) return true;
                return row.targetKind === "agent" && spent.tokens >= (minTokens ?? 0) && (minCostUsd === undefined || (spent.costUsd ?? -1) >= minCostUsd);
              })
              .sort((a, b) => b.at - a.at || (a.run.id < b.run.id ? 1 : -1));
            expect(pages.flat().map(({ id }) => id)).toEqual(wanted.map(({ run }) => run.id));
            const byAgent = Map.groupBy(wanted.filter(({ targetKind }) => targetKind === "agent"), ({ target }) => target);
            const expected = [...byAgent].map(([agent, runs]) => {
              const costs = runs.flatMap(({ spent }) => spent.costUsd ?? []);
              return { agent, runs: runs.length, pricedRuns: costs.length, tokens: sumOf(runs.map(({ spent }) => spent.tokens)), costUsd: sumOf(costs) };
            });
            expect({ ...sums, agents: sums.agents.toSorted(byName) }).toEqual({ agents: expected.toSorted(byName), isCapped: false });
          }),
          { numRuns: 50 },
        );
      });
    });

    it("lists the runs that wait for a person, and no others", async () => {
      const request = { toolCallId: "a", toolName: "refund", input: {} };
      const wait = async (run: { id: string; token: string }, kind: "approval" | "sleep") => {
        const steps = [{ name: "one", kind, attempt: 1, startedAt: epoch, finishedAt: null, until: epoch + 1e9, result: { request } }];
        await store.writeProgress({ runId: run.id, token: run.token, now: epoch, entries: [], steps, transition: { to: "waiting", reason: "sleep", availableAt: epoch + 1e9 } });
      };
      const [asking, decided, canceled, asleep] = [await withRunningRun(store, { target: agent }), await withRunningRun(store, { target: agent }), await withRunningRun(store, { target: agent }), await withRunningRun(store)];
      for (const run of [asking, decided, canceled]) await wait(run, "approval");
      await wait(asleep, "sleep");
      await store.decideApproval({ runId: decided.id, name: "one", decision: { isApproved: true, reason: null, by: "Ada" }, now: epoch });
      await store.requestCancel(canceled.id, epoch);
      const listed = async (filter: RunFilter) => (await store.listRuns({ ...filter, needsApproval: true }, { limit: 10, cursor: null })).data.map(({ id }) => id);
      expect(await listed({})).toEqual([asking.id]);
      expect([await listed({ target: "triage", targetKind: "agent" }), await listed({ target: "other" }), await listed({ status: "failed" }), await listed({ minTokens: 1 })]).toEqual([[asking.id], [], [], []]);
    });
  });
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function byName(one: { agent: string }, other: { agent: string }): number {
  return one.agent < other.agent ? -1 : 1;
}

/** As the run alone, a list, and a look at some of them say it alike. */
async function spentBy(store: Store, id: string): Promise<unknown[]> {
  const listed = (await store.listRuns({}, { limit: 100, cursor: null })).data.filter((run) => run.id === id);
  const all = [await store.getRun(id), ...(await store.findRuns([id])), ...listed].map((run) => [run?.tokens, run?.costUsd]);
  expect(all).toEqual([all[0], all[0], all[0]]);
  return all[0] ?? [];
}
