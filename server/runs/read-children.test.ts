import { describe, expect, it } from "vitest";
import { openTestService } from "../http/rest/testing/test-service.ts";
import { aRun } from "../store/testing/factories.ts";
import type { NewRun } from "../ports/store/new-run.ts";
import { readChildren } from "./read-children.ts";

const agent = { kind: "agent", slug: "triage" } as const;

async function openFamily(parent: Partial<NewRun>, children: Partial<NewRun>[]) {
  const service = await openTestService();
  const { store, state } = service;
  const run = aRun(parent);
  await store.createRuns([run]);
  const ids: string[] = [];
  for (const [at, given] of children.entries()) {
    const child = { of: run.id, step: `step ${at}`, link: "call", depth: 1 } as const;
    const one = aRun({ startedBy: "parent", createdAt: state.now + at, child, ...given });
    ids.push(one.id);
    await store.createRuns([one]);
  }
  return { service, parent: run.id, ids };
}

describe("the child runs of a run", () => {
  it("are the newest ones, and the number of each status", async () => {
    const { service, parent, ids } = await openFamily(
      {},
      Array.from({ length: 7 }, () => ({})),
    );
    await service.store.requestCancel(ids[0] ?? "", service.state.now);
    const { newest, ...rest } = await readChildren(service, parent);
    expect(newest.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 5));
    expect(rest).toEqual({
      counts: [
        { status: "queued", runs: 6 },
        { status: "canceled", runs: 1 },
      ],
      isCapped: false,
      usage: null,
    });
  });

  it("are none of most runs", async () => {
    const { service, parent } = await openFamily({}, []);
    const none = { newest: [], counts: [], isCapped: false, usage: null };
    expect(await readChildren(service, parent)).toEqual(none);
    expect(await readChildren(service, "run_unknown")).toEqual(none);
  });

  it("have the sum of the usage of agents, with that of the run itself", async () => {
    const spent = async (of: Awaited<ReturnType<typeof openFamily>>, tokens: number) => {
      const claimed = await of.service.store.claimRuns({
        slots: Array.from({ length: 9 }, () => "wrk_test"),
        now: of.service.state.now + 10,
        leaseMs: 60_000,
        limits: new Map(),
        pool: "shared",
      });
      for (const { id: runId, token, target } of claimed)
        if (target.kind === "agent")
          await of.service.store.writeProgress({
            runId,
            token,
            now: of.service.state.now + 11,
            entries: [],
            spend: { tokens, costUsd: 0.25 },
          });
      return (await readChildren(of.service, of.parent)).usage;
    };
    const ofWorkflow = await openFamily({}, [{ target: agent }, { target: agent }, {}]);
    expect(await spent(ofWorkflow, 100)).toEqual({
      runs: 2,
      pricedRuns: 2,
      tokens: 200,
      costUsd: 0.5,
      isCapped: false,
    });
    const ofAgent = await openFamily({ target: agent }, [{ target: agent }, {}]);
    expect(await spent(ofAgent, 100)).toEqual({ runs: 2, pricedRuns: 2, tokens: 200, costUsd: 0.5, isCapped: false });
  });
});
