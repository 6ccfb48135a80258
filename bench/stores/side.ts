import { rmSync } from "node:fs";
import { join } from "node:path";
import type { PostgresCluster } from "../../scripts/postgres-cluster.ts";
import type { Store } from "../../server/ports/store.ts";
import { openPostgresStore } from "../../server/store/postgres/open-store.ts";
import { openSqliteStore } from "../../server/store/sqlite/open-store.ts";
import type { Bench } from "../measure/bench.ts";
import { endpoints } from "../service/bench-project.ts";
import { startSignalbox, type Service } from "../service/signalbox-service.ts";
import { openPostgresReader, openSqliteReader, type StoreReader } from "../service/store-reader.ts";

export const stores = ["SQLite", "Postgres"] as const;
export type StoreName = (typeof stores)[number];

/** A service on one of the stores with this number of workers, and a reader of its store. */
export interface Side {
  store: StoreName;
  workers: number;
  service: Service;
  reader: StoreReader;
  /** A separate process beside the service, like another machine. The caller closes it. */
  openStore(): Promise<Store>;
  /** Root processes by name: the service, and the database if it is a separate process. */
  pids: { service: number | undefined; database: number | undefined };
  close(): Promise<void>;
}

/** Services that receive, without workers: one machine each, on one Postgres. */
export interface WebSide {
  urls: readonly string[];
  reader: StoreReader;
  close(): Promise<void>;
}

/** `cluster`: where databases are made. */
export async function startWebSide(
  bench: Bench,
  p: { count: number; cluster: PostgresCluster; name: string },
): Promise<WebSide> {
  const url = p.cluster.url(p.name);
  await p.cluster.createDatabase(p.name);
  const folders: string[] = [];
  const services: Service[] = [];
  async function close(): Promise<void> {
    for (const service of services) await service.stop();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
  try {
    for (let n = 0; n < p.count; n += 1) {
      const folder = bench.makeProject({ workers: 1 });
      folders.push(folder);
      const env = { SIGNALBOX_DATABASE_URL: url, SIGNALBOX_SECRET: "of all machines of the bench" };
      services.push(await startSignalbox({ folder, args: ["--role", "web"], nodeOptions: bench.nodeOptions, env }));
    }
    const reader = await openPostgresReader(url);
    return {
      urls: services.map((service) => service.urlOf(endpoints.queued)),
      reader,
      async close() {
        await reader.close();
        await close();
        await p.cluster.dropDatabase(p.name);
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** `cluster`: where databases are made. */
export async function startSide(
  bench: Bench,
  p: { store: StoreName; workers: number; cluster: PostgresCluster; name: string },
): Promise<Side> {
  const { store, workers, cluster } = p;
  const folder = bench.makeProject({ workers });
  const file = join(folder, ".signalbox/signalbox.db");
  const url = cluster.url(p.name);
  if (store === "Postgres") await cluster.createDatabase(p.name);
  const service = await startSignalbox({
    folder,
    nodeOptions: bench.nodeOptions,
    env: store === "Postgres" ? { SIGNALBOX_DATABASE_URL: url } : {},
  });
  const reader = store === "Postgres" ? await openPostgresReader(url) : openSqliteReader(file);
  return {
    store,
    workers,
    service,
    reader,
    openStore: () => (store === "Postgres" ? openPostgresStore({ url }) : openSqliteStore({ file })),
    pids: { service: service.child.pid, database: store === "Postgres" ? cluster.pid() : undefined },
    async close() {
      await reader.close();
      await service.stop();
      // The server would vacuum its tables during the next turns.
      if (store === "Postgres") await cluster.dropDatabase(p.name);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
