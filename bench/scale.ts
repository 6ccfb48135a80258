// Measures whether accepts, claims and lists on Postgres stay fast beside millions of runs, and while many hosts claim:
//
//     node bench/scale.ts [--finished 1000000] [--queued 100000] [--hosts 50] [--rounds 5]
//
// A small and a large database of one server take turns. Only the ratios depend on their size.
import { parseArgs } from "node:util";
import { startCluster } from "../scripts/postgres-cluster.ts";
import { openPostgresStore } from "../server/store/postgres/open-store.ts";
import { queueRuns } from "./runs/bench-project.ts";
import { measureOperations, type Times } from "./scale/operations.ts";
import { runHosts } from "./scale/run-hosts.ts";
import { seedHistory } from "./scale/seed-history.ts";
import { count, milliseconds } from "./report/format.ts";
import { median } from "./report/statistics.ts";

const { values } = parseArgs({
  options: {
    finished: { type: "string", default: "1000000" },
    queued: { type: "string", default: "100000" },
    hosts: { type: "string", default: "50" },
    rounds: { type: "string", default: "5" },
  },
});
const sizes = {
  small: { finished: 20_000, queued: 5_000 },
  large: { finished: Number(values.finished), queued: Number(values.queued) },
};
const rounds = Number(values.rounds);

const cluster = await startCluster({
  settings: ["max_connections=400", "max_wal_size=4GB", "wal_level=minimal", "max_wal_senders=0"],
});
process.once("SIGINT", () => void cluster.remove().finally(() => process.exit(1)));
try {
  console.log(
    `${await cluster.version()}, with its default settings but for max_connections, max_wal_size, and wal_level, by which indexes are filled faster.\n`,
  );
  const stores = { small: await fill("small"), large: await fill("large") };
  const times: Record<keyof typeof sizes, Times[]> = { small: [], large: [] };
  for (let round = 0; round <= rounds; round += 1) {
    for (const size of ["small", "large"] as const) {
      const measured = await measureOperations(stores[size]);
      // The first round warms up.
      if (round > 0) times[size].push(measured);
    }
  }
  print(times);
  await Promise.all(Object.values(stores).map((store) => store.close()));
  console.log(await runHosts({ url: cluster.url("large"), hosts: Number(values.hosts), seconds: 20 }));
} finally {
  await cluster.remove();
}

async function fill(size: keyof typeof sizes) {
  const began = performance.now();
  const { finished, queued } = sizes[size];
  await cluster.createDatabase(size);
  const store = await openPostgresStore({ url: cluster.url(size) });
  const bytes = await seedHistory(cluster.url(size), store, finished);
  for (let left = queued; left > 0; left -= 5_000)
    await queueRuns(store, { slug: "trivial", count: Math.min(5_000, left), inOneTransaction: true });
  console.log(
    `${size}: ${count(finished)} finished runs (${(bytes / 1e9).toFixed(1)} GB), ${count(queued)} queued; filled in ${count((performance.now() - began) / 1000)} s`,
  );
  return store;
}

function print(times: Record<keyof typeof sizes, Times[]>): void {
  console.log("\nMilliseconds, medians of all rounds:\n");
  for (const name of Object.keys(times.small[0] ?? {})) {
    const of = (size: keyof typeof sizes) => median(times[size].map((one) => one[name] ?? Number.NaN));
    console.log(
      `${name.padEnd(52)} small ${milliseconds(of("small")).padStart(7)}   large ${milliseconds(of("large")).padStart(7)}   ratio ${(of("large") / of("small")).toFixed(2)}`,
    );
  }
  console.log("");
}
