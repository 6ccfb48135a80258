import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { AppError } from "../../../contract/app-error.ts";
import { deliveryContract } from "../../testing/delivery-contract.ts";
import { engineContract } from "../../testing/engine-contract.ts";
import { aClaim, aRun } from "../../testing/factories.ts";
import { type PostgresServer, startPostgres } from "../../testing/postgres-server.ts";
import { queueCapacityContract } from "../../testing/queue-capacity-contract.ts";
import { runContract } from "../../testing/run-contract.ts";
import { openPostgresStore } from "../open-store.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const open = () => server.openStore({ isPooled: true });

deliveryContract(open);
engineContract(open);
queueCapacityContract(open);
runContract(open);

it("processes behind a pooler share its connections, are notified of runs, and each run is claimed once", async () => {
  // By themselves they look every two seconds: never, here.
  vi.useFakeTimers({ toFake: ["setInterval"] });
  const directUrl = await server.createDatabase();
  const url = await server.pooledUrl(directUrl);
  const stores = await Promise.all(Array.from({ length: 4 }, () => openPostgresStore({ url, directUrl })));
  try {
    const [first, second] = stores;
    if (!first || !second) throw new Error("stores were to open");
    const heard = vi.fn<() => void>();
    const stop = second.watchRuns(heard);
    // Also called when it begins to listen.
    await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(1));
    await first.createRuns(Array.from({ length: 40 }, () => aRun()));
    await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(2));
    const claimed = await Promise.all(
      stores.flatMap((store, n) => [1, 2, 3].map(() => store.claimRuns(aClaim({ workerId: `wrk_${n}`, limit: 7 })))),
    );
    const ids = claimed.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    stop();
  } finally {
    await Promise.all(stores.map((store) => store.close()));
    vi.useRealTimers();
  }
});

it("a pooler in transaction mode needs a direct URL", async () => {
  const url = await server.pooledUrl(await server.createDatabase());
  const opened = await Promise.all(
    Array.from({ length: 4 }, () => openPostgresStore({ url }).catch((error: unknown) => error)),
  );
  for (const store of opened)
    if (store instanceof Object && "close" in store) await (store as { close(): Promise<void> }).close();
  expect(opened.some((result) => result instanceof AppError || result instanceof Error)).toBe(true);
});
