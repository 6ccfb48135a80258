import { afterAll, beforeAll, expect, it } from "vitest";
import { newId } from "../../domain/ids.ts";
import { unknownPathsMs } from "../../domain/runs/event-waits.ts";
import type { Store } from "../../ports/store.ts";
import { aClaim, aDelivery, aRun, epoch } from "../testing/factories.ts";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { openPostgresStore } from "./open-store.ts";

let server: PostgresServer;
beforeAll(async () => void (server = await startPostgres()));
afterAll(() => server.stop());

const source = "order-shipped";
const rounds = 30;
const atOnce = 10;

it("of a delivery and a wait on two machines at once, the delivery finds the wait, or the search for the wait finds it", async () => {
  const url = await server.createDatabase();
  const [receiver, host] = [await openPostgresStore({ url }), await openPostgresStore({ url })];
  try {
    const runs = Array.from({ length: rounds * atOnce + 1 }, () => aRun());
    await host.createRuns(runs);
    const claimed = await host.claimRuns(aClaim({ limit: runs.length }));
    const suspend = (run: (typeof claimed)[number], order: number) => suspendFor(host, run, order);
    // Afterwards, the paths are known to all machines.
    const [first, ...others] = claimed;
    if (!first) throw new Error("runs were to be due");
    await suspend(first, -1);
    await accept(receiver, -2);
    const wokenAtOnce: boolean[] = [];
    for (let round = 0; round < rounds; round += 1)
      await Promise.all(
        others.slice(round * atOnce, (round + 1) * atOnce).map(async (run, at) => {
          const order = round * atOnce + at;
          const accepting = accept(receiver, order);
          await suspend(run, order);
          const isFound = (await host.getDelivery(idOf(order))) !== null;
          const isWoken = await accepting;
          wokenAtOnce.push(isWoken);
          expect(isFound || isWoken).toBe(true);
        }),
      );
    expect(wokenAtOnce).toContain(true);
    expect(wokenAtOnce).toContain(false);
  } finally {
    await Promise.all([receiver.close(), host.close()]);
  }
});

it("a search is final only when all machines know the paths, even if another run has waited with them just before", async () => {
  const host = await openPostgresStore({ url: await server.createDatabase() });
  try {
    await host.createRuns([aRun(), aRun()]);
    const claimed = await host.claimRuns(aClaim({ limit: 2 }));
    for (const [order, run] of claimed.entries()) await suspendFor(host, run, order);
    const isFinalAt = async (now: number) => {
      const waits = claimed.map(({ id: runId }) => host.listWaitsToSearch({ now, limit: 10, runId }));
      return (await Promise.all(waits)).flat().map(({ isFinal }) => isFinal);
    };
    expect(await isFinalAt(epoch + unknownPathsMs - 1)).toEqual([false, false]);
    expect(await isFinalAt(epoch + unknownPathsMs)).toEqual([true, true]);
  } finally {
    await host.close();
  }
});

const ids = new Map<number, string>();
function idOf(order: number): string {
  const id = ids.get(order) ?? newId("dlv");
  ids.set(order, id);
  return id;
}

async function suspendFor(store: Store, { id, token }: { id: string; token: string }, order: number): Promise<void> {
  const until = epoch + 1e9;
  await store.writeProgress({
    runId: id,
    token,
    now: epoch,
    entries: [],
    steps: [
      {
        name: "shipped",
        kind: "event",
        attempt: 1,
        startedAt: epoch,
        finishedAt: null,
        until,
        result: null,
        sequence: null,
      },
    ],
    waits: [{ step: "shipped", branch: "", source, match: { "/order": order }, since: epoch, until }],
    transition: { to: "waiting", reason: "sleep", availableAt: until },
  });
}

/** Whether a run was woken. */
async function accept(store: Store, order: number): Promise<boolean> {
  const result = await store.acceptDelivery({
    delivery: aDelivery({ id: idOf(order), outcome: "skipped", responseStatus: 200 }),
    runs: [],
    idempotency: null,
    delivered: {
      events: [{ source, payload: { order } }],
      ifWoken: { outcome: "accepted", responseStatus: 202, problem: null },
    },
  });
  return result.kind === "accepted" && (result.woke ?? []).length > 0;
}
