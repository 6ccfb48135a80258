import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Spend, Store } from "../../ports/store.ts";
import { aClaim, aRun, claimOne, epoch, type OpenStore, withRunningRun } from "./factories.ts";

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
    });
  });
}

/** As the run alone, a list, and a look at some of them say it alike. */
async function spentBy(store: Store, id: string): Promise<unknown[]> {
  const listed = (await store.listRuns({}, { limit: 100, cursor: null })).data.filter((run) => run.id === id);
  const all = [await store.getRun(id), ...(await store.findRuns([id])), ...listed].map((run) => [run?.tokens, run?.costUsd]);
  expect(all).toEqual([all[0], all[0], all[0]]);
  return all[0] ?? [];
}
