// How many deliveries a second the store takes, next to another checkout's: node bench/accepts.ts --before <folder of a checkout> [--rounds N]
// The two take turns, so that what else the machine does hits both alike: only the ratios mean something.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { Store } from "../server/ports/store.ts";
import { packageRoot } from "../server/paths.ts";
import { type Load, timeAccepts } from "./accepts/time-accepts.ts";
import { median } from "./report/statistics.ts";

const { values } = parseArgs({
  options: { before: { type: "string", default: packageRoot }, rounds: { type: "string", default: "8" } },
});
const rounds = Number(values.rounds);

const loads: Record<string, Load> = {
  "1 verdict, 256 in flight": { verdicts: 1, endpoints: 1, inFlight: 256, count: 6_000 },
  "1 verdict, 256 in flight, 200 endpoints": { verdicts: 1, endpoints: 200, inFlight: 256, count: 6_000 },
  "20 verdicts, 256 in flight": { verdicts: 20, endpoints: 1, inFlight: 256, count: 3_000 },
  "20 verdicts, 256 in flight, 200 endpoints": { verdicts: 20, endpoints: 200, inFlight: 256, count: 3_000 },
  "1 verdict, 1 in flight": { verdicts: 1, endpoints: 1, inFlight: 1, count: 400 },
  "20 verdicts, 1 in flight": { verdicts: 20, endpoints: 1, inFlight: 1, count: 400 },
};

const folder = mkdtempSync(join(tmpdir(), "signalbox-accepts-"));
console.log("milliseconds of a delivery, the median of all rounds; now/before over 1 is faster\n");
console.log(
  "load                                        before: wall    CPU     now: wall    CPU    now/before: wall   CPU",
);
for (const [name, load] of Object.entries(loads)) await compare(name, load);
rmSync(folder, { recursive: true, force: true });

async function compare(name: string, load: Load): Promise<void> {
  const stores = { before: await open(values.before, `before-${name}`), now: await open(packageRoot, `now-${name}`) };
  const times: Record<"before" | "now", { wall: number; cpu: number }[]> = { before: [], now: [] };
  for (let round = 0; round <= rounds; round++) {
    for (const side of ["before", "now"] as const) {
      const time = await timeAccepts(stores[side], load);
      // The first round warms both up.
      if (round > 0) times[side].push(time);
    }
  }
  const of = (side: "before" | "now", what: "wall" | "cpu") => median(times[side].map((time) => time[what]));
  const [before, now] = [
    { wall: of("before", "wall"), cpu: of("before", "cpu") },
    { wall: of("now", "wall"), cpu: of("now", "cpu") },
  ];
  console.log(
    `${name.padEnd(43)}${cell(before.wall, 13)}${cell(before.cpu, 7)}${cell(now.wall, 14)}${cell(now.cpu, 7)}${(before.wall / now.wall).toFixed(2).padStart(20)}${(before.cpu / now.cpu).toFixed(2).padStart(6)}`,
  );
  await Promise.all(Object.values(stores).map((store) => store.close()));
}

async function open(checkout: string, name: string): Promise<Store> {
  const { openSqliteStore } = await import(pathToFileURL(resolve(checkout, "server/store/sqlite/open-store.ts")).href);
  return openSqliteStore({ file: join(folder, `${name}.db`) });
}

function cell(value: number, width: number): string {
  return value.toFixed(3).padStart(width);
}
