// Times every list of a seeded store, through the store's own code: node bench/lists.ts --dir <folder> [--times N]
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Store } from "../server/ports/store.ts";
import { openSqliteStore } from "../server/store/sqlite/open-store.ts";
import { measure } from "./lists/measure.ts";
import { listScenarios } from "./lists/scenarios.ts";
import { type ListTiming, timeList } from "./lists/time-list.ts";
import { planProject, type PlannedProject } from "./seed/plan-project.ts";

const { values } = parseArgs({ options: { dir: { type: "string" }, times: { type: "string", default: "20" } } });
if (!values.dir) {
  console.error("--dir is missing: node bench/lists.ts --dir <folder that bench/seed.ts made>");
  process.exit(2);
}
const seeded: { triggers: number; runs: number; deliveries: number; now: number } = JSON.parse(
  readFileSync(join(values.dir, "bench.json"), "utf8"),
);
const times = Number(values.times);
const store = await openSqliteStore({ file: join(values.dir, ".signalbox", "signalbox.db") });
console.log(
  `${seeded.deliveries} deliveries, ${seeded.runs} runs, ${seeded.triggers} triggers; milliseconds, each the median and p95 of ${times}\n`,
);
await timeLists(store, planProject(seeded.triggers));
await timeQuestions(store, planProject(seeded.triggers));
await store.close();

async function timeLists(from: Store, project: PlannedProject): Promise<void> {
  const middle = { until: seeded.now - 15 * 86_400_000 };
  const deepRuns = await from.listRuns(middle, { limit: 1, cursor: null });
  const deepDeliveries = await from.listDeliveries(middle, { limit: 1, cursor: null });
  const newest = { limit: 100, cursor: null };
  const redelivery = (await from.listDeliveries({ outcome: "accepted" }, newest)).data.find(
    (row) => row.redeliveryOf !== null,
  );
  const replay = (await from.listRuns({}, newest)).data.find((row) => row.replayOf !== null);
  const scenarios = listScenarios(project, {
    now: seeded.now,
    deliveryId: redelivery?.redeliveryOf ?? deepDeliveries.data[0]?.id ?? "",
    runId: replay?.replayOf ?? deepRuns.data[0]?.id ?? "",
  });
  console.log(
    "list                                                                             first p50    p95 rows   deep p50    p95 rows  deep/first | to a screenful",
  );
  for (const filter of scenarios.runs) {
    print(
      "runs",
      filter,
      await timeList((page) => from.listRuns(filter, page), { deepCursor: deepRuns.nextCursor ?? "", times }),
    );
  }
  for (const filter of scenarios.deliveries) {
    print(
      "deliveries",
      filter,
      await timeList((page) => from.listDeliveries(filter, page), {
        deepCursor: deepDeliveries.nextCursor ?? "",
        times,
      }),
    );
  }
}

function cell(ms: number): string {
  return ms.toFixed(1).padStart(7);
}

function cells({ medianMs, p95Ms, rows }: ListTiming["first"]): string {
  return `${cell(medianMs)}${cell(p95Ms)}${String(rows).padStart(5)}`;
}

function print(list: string, filter: object, { first, deep, screen }: ListTiming): void {
  const name = `${list} ${JSON.stringify(filter).replaceAll('"', "")}`.slice(0, 78).padEnd(80);
  const end = screen.isEnd ? ", the end" : "";
  console.log(
    `${name} ${cells(first)}   ${cells(deep)} ${(deep.medianMs / first.medianMs).toFixed(2).padStart(8)}    | ${screen.rows} rows in ${screen.pages} pages, ${screen.ms.toFixed(0)} ms${end}`,
  );
}

async function timeQuestions(from: Store, { endpoints, workflows }: PlannedProject): Promise<void> {
  const hour = 3_600_000;
  const busiest = endpoints.slice(0, 300).map(([first]) => first.endpoint);
  const minutes = { since: seeded.now - hour, until: seeded.now + 60_000, bucketMs: 60_000 } as const;
  const hours = (count: number) =>
    ({ since: seeded.now - count * hour, until: seeded.now + hour, bucketMs: 3_600_000 }) as const;
  const targets = workflows.map((slug) => ({ kind: "workflow", slug }) as const);
  const [run] = (await from.listRuns({}, { limit: 1, cursor: null })).data;
  const questions: Record<string, () => Promise<unknown>> = {
    [`countDeliveries, ${busiest.length} endpoints, an hour`]: () =>
      from.countDeliveries({ ...minutes, endpoints: busiest }),
    [`countDeliveries, ${busiest.length} endpoints, a day`]: () =>
      from.countDeliveries({ ...hours(24), endpoints: busiest }),
    [`countDeliveries, ${busiest.length} endpoints, a week`]: () =>
      from.countDeliveries({ ...hours(168), endpoints: busiest }),
    "countDeliveries, together, 30 days": () => from.countDeliveries({ ...hours(720), endpoints: null }),
    [`countVerdicts, ${busiest.length} endpoints, an hour`]: () =>
      from.countVerdicts({ ...minutes, endpoints: busiest }),
    [`countVerdicts, ${busiest.length} endpoints, a day`]: () =>
      from.countVerdicts({ ...hours(24), endpoints: busiest }),
    [`countVerdicts, ${busiest.length} endpoints, a week`]: () =>
      from.countVerdicts({ ...hours(168), endpoints: busiest }),
    [`summarizeTargets, ${targets.length} targets, a week`]: () =>
      from.summarizeTargets({ targets, since: seeded.now - 168 * hour }),
    "searchIds, the beginning of an id": () => from.searchIds({ text: run?.id.slice(0, 16) ?? "", limit: 5 }),
    "searchIds, the end of an id": () => from.searchIds({ text: run?.id.slice(-6) ?? "", limit: 5 }),
    "searchIds, nothing": () => from.searchIds({ text: "NOTHING", limit: 5 }),
    countOpenRuns: () => from.countOpenRuns(),
    countHeld: () => from.countHeld(),
    listHeld: () => from.listHeld({}, { limit: 50, cursor: null }),
    getRun: () => from.getRun(run?.id ?? ""),
    listTimeline: () => from.listTimeline(run?.id ?? "", { after: 0, limit: 500 }),
  };
  console.log("\nquestion                                            p50     p95");
  for (const [name, ask] of Object.entries(questions)) {
    const { medianMs, p95Ms } = await measure(times, ask);
    console.log(`${name.padEnd(46)} ${medianMs.toFixed(1).padStart(8)}${p95Ms.toFixed(1).padStart(8)}`);
  }
}
