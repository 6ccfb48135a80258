import * as fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { askPostgres } from "../../../scripts/ask-postgres.ts";
import type { RunTransition } from "../../ports/store/engine-store.ts";
import type { Store } from "../../ports/store.ts";
import { aClaim, aConcurrency, aResume, aRun, epoch } from "../testing/factories.ts";
import { type PostgresServer, startPostgres } from "../testing/postgres-server.ts";
import { openPostgresStore } from "./open-store.ts";

let server: PostgresServer;
beforeAll(async () => void (server = await startPostgres()));
afterAll(() => server.stop());

const target = "workflow:welcome-email";
const error = { name: "Error", message: "no", stack: null };
const transitions: readonly RunTransition[] = [
  { to: "completed", output: null },
  { to: "failed", error },
  { to: "waiting", reason: "sleep", availableAt: epoch },
  { to: "waiting", reason: "retry", availableAt: epoch },
  { to: "queued" },
];

/** Keys that have a free slot although a run waits, and keys with more runs than slots. */
const faultsSql = (perKey: number) => `
  SELECT run_key, count(*) FILTER (WHERE key_slot IN ('taken', 'surplus')) AS taken, count(*) FILTER (WHERE key_slot = 'waiting') AS waiting
  FROM signalbox.run GROUP BY run_key
  HAVING count(*) FILTER (WHERE key_slot IN ('taken', 'surplus')) > ${perKey}
    OR (count(*) FILTER (WHERE key_slot = 'waiting') > 0 AND count(*) FILTER (WHERE key_slot IN ('taken', 'surplus')) < ${perKey})
    OR count(*) FILTER (WHERE key_slot = 'waiting' AND available_at < 8640000000000000) > 0`;

it("two machines give the slots of keys by the rules while they end, cancel, resume, replay and limit runs at once", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        perKey: fc.constantFrom(1, 2),
        whileWaiting: fc.constantFrom("hold" as const, "release" as const),
        onFailure: fc.constantFrom("continue" as const, "block" as const),
        seed: fc.nat(),
      }),
      async ({ seed, ...given }) => {
        const url = await server.createDatabase();
        const stores = [await openPostgresStore({ url }), await openPostgresStore({ url })];
        try {
          await actAtOnce(stores, given, createPick(seed));
          expect(await askPostgres(url, faultsSql(given.perKey))).toEqual([]);
        } finally {
          await Promise.all(stores.map((store) => store.close()));
        }
      },
    ),
    { numRuns: 4 },
  );
});

/** Numbers that a seed repeats: a linear congruential generator. */
function createPick(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 16;
  };
}

async function actAtOnce(
  stores: readonly Store[],
  given: { perKey: number; whileWaiting: "hold" | "release"; onFailure: "continue" | "block" },
  pick: () => number,
): Promise<void> {
  const concurrency = aConcurrency(given);
  const limits = new Map([[target, concurrency]]);
  await Promise.all(stores.map((store) => store.applyLimits({ limits, now: epoch })));
  const ids: string[] = [];
  const queue = (store: Store, replayOf: string | null = null) => {
    const run = aRun({ key: `k${pick() % 3}`, concurrency, createdAt: epoch, replayOf });
    ids.push(run.id);
    return store.createRuns([run]);
  };
  const claimAndEnd = async (store: Store, onlyComplete = false) => {
    const claimed = await store.claimRuns(aClaim({ now: epoch + 10, limits, limit: 4 }));
    await Promise.all(
      claimed.map(({ id: runId, token }) => {
        const transition = transitions[onlyComplete ? 0 : pick() % transitions.length] ?? transitions[0];
        return store.writeProgress({ runId, token, now: epoch + 20, entries: [], ...(transition && { transition }) });
      }),
    );
    return claimed.length;
  };
  const resume = async (store: Store, id: string) => {
    const seenAttempt = (await store.getRun(id))?.attempt ?? 0;
    await store.resumeRuns([aResume({ id, version: "v1", concurrency, seenAttempt })], epoch + 30);
  };
  const anyRun = () => ids[pick() % ids.length] ?? "";
  const act = async (store: Store) => {
    const choice = pick() % 12;
    if (choice < 4 || ids.length === 0) return queue(store);
    if (choice < 8) return claimAndEnd(store);
    if (choice === 8) return store.requestCancel(anyRun(), epoch + 40);
    if (choice === 9) return resume(store, anyRun());
    if (choice === 10) return queue(store, anyRun());
    return store.applyLimits({ limits, now: epoch + 50 });
  };
  for (let round = 0; round < 25; round += 1)
    await Promise.all(Array.from({ length: 8 }, (_, n) => act(stores[n % stores.length] ?? (stores[0] as Store))));
  // What blocks a key is canceled, and the rest ends.
  for (const store of stores) {
    await Promise.all(ids.map((id) => store.requestCancel(id, epoch + 60)));
    for (let idle = 0; idle < 2;) idle = (await claimAndEnd(store, true)) === 0 ? idle + 1 : 0;
  }
  const [store] = stores;
  expect(await store?.countOpenRuns()).toEqual({ queued: 0, running: 0, waiting: 0 });
}
