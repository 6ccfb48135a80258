// Measures how many deliveries the store accepts per second, compared with another checkout:
//
//     node bench/accepts.ts --before <folder of a checkout> [--store postgres] [--rounds N]
//
// The two take turns, so that other work of the machine affects both equally. Only the ratios are meaningful.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { type PostgresCluster, startCluster } from "../scripts/postgres-cluster.ts";
import type { Store } from "../server/ports/store.ts";
import { packageRoot } from "../server/paths.ts";
import { type Load, type Time, timeAccepts } from "./accepts/time-accepts.ts";
import { median } from "./report/statistics.ts";
import { cpuMsOf } from "./service/process-tree.ts";

const { values } = parseArgs({
  options: {
    before: { type: "string", default: packageRoot },
    rounds: { type: "string", default: "8" },
    store: { type: "string", default: "sqlite" },
  },
});
const rounds = Number(values.rounds);
const small = { verdicts: 1, endpoints: 1, isAssigned: false };

const sqliteLoads: Record<string, Load> = {
  "1 verdict, 256 in flight": { ...small, inFlight: 256, count: 6_000 },
  "1 verdict, 256 in flight, 200 endpoints": { ...small, endpoints: 200, inFlight: 256, count: 6_000 },
  "20 verdicts, 256 in flight": { ...small, verdicts: 20, inFlight: 256, count: 3_000 },
  "20 verdicts, 256 in flight, 200 endpoints": {
    verdicts: 20,
    endpoints: 200,
    isAssigned: false,
    inFlight: 256,
    count: 3_000,
  },
  "1 verdict, 1 in flight": { ...small, inFlight: 1, count: 400 },
  "20 verdicts, 1 in flight": { ...small, verdicts: 20, inFlight: 1, count: 400 },
};

const postgresLoads: Record<string, Load> = {
  "queued, 50 in flight": { ...small, inFlight: 50, count: 4_000 },
  "assigned, 50 in flight": { ...small, isAssigned: true, inFlight: 50, count: 4_000 },
  "assigned, 256 in flight": { ...small, isAssigned: true, inFlight: 256, count: 6_000 },
  "assigned, 1 in flight": { ...small, isAssigned: true, inFlight: 1, count: 400 },
};

const sides = ["before", "now"] as const;
type Side = (typeof sides)[number];
const parts = ["wall", "cpu", "database"] as const;

const folder = mkdtempSync(join(tmpdir(), "signalbox-accepts-"));
const cluster = values.store === "postgres" ? await startCluster() : null;
try {
  console.log(`Milliseconds of a delivery: by the clock, of CPU here${cluster ? ", of CPU in Postgres" : ""}.`);
  console.log("Medians of all rounds. Ratios now/before above 1 are faster.\n");
  for (const [name, load] of Object.entries(cluster ? postgresLoads : sqliteLoads)) await compare(name, load);
} finally {
  await cluster?.remove();
  rmSync(folder, { recursive: true, force: true });
}

async function compare(name: string, load: Load): Promise<void> {
  const open = cluster ? (side: Side) => openPostgres(cluster, side, name) : (side: Side) => openSqlite(side, name);
  const stores = { before: await open("before"), now: await open("now") };
  const times: Record<Side, Time[]> = { before: [], now: [] };
  for (let round = 0; round <= rounds; round++) {
    for (const side of sides) {
      const time = await timeAccepts(stores[side], load, () => cpuMsOf(cluster?.pid()));
      // The first round warms both up.
      if (round > 0) times[side].push(time);
    }
  }
  const shown = parts.filter((part) => cluster || part !== "database");
  const of = (side: Side, part: keyof Time) => median(times[side].map((time) => time[part]));
  const cells = sides.map(
    (side) => `${side}: ${shown.map((part) => `${part} ${of(side, part).toFixed(3)}`).join(", ")}`,
  );
  const ratios = shown.map((part) => `${part} ${(of("before", part) / of("now", part)).toFixed(2)}`);
  console.log(`${name.padEnd(43)}${cells.join("; ")}; now/before: ${ratios.join(", ")}`);
  await Promise.all(Object.values(stores).map((store) => store.close()));
}

function sourceOf(side: Side, file: string): string {
  return pathToFileURL(resolve(side === "before" ? values.before : packageRoot, file)).href;
}

async function openSqlite(side: Side, name: string): Promise<Store> {
  const { openSqliteStore } = await import(sourceOf(side, "server/store/sqlite/open-store.ts"));
  return openSqliteStore({ file: join(folder, `${side}-${name}.db`) });
}

async function openPostgres({ createDatabase, url }: PostgresCluster, side: Side, name: string): Promise<Store> {
  const database = `${side}_${name.replaceAll(/\W+/g, "_")}`;
  await createDatabase(database);
  const { openPostgresStore } = await import(sourceOf(side, "server/store/postgres/open-store.ts"));
  return openPostgresStore({ url: url(database) });
}
