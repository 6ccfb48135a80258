// Creates a project and a store with a month of traffic: node bench/seed.ts --dir <folder> [--runs N] [--deliveries N] [--triggers N]
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openSqliteStore } from "../server/store/sqlite/open-store.ts";
import { planProject } from "./seed/plan-project.ts";
import { writeStore } from "./seed/write-store.ts";
import { writeProject } from "./seed/write-project.ts";

const { values } = parseArgs({
  options: {
    dir: { type: "string" },
    runs: { type: "string", default: "1000000" },
    deliveries: { type: "string", default: "1000000" },
    triggers: { type: "string", default: "2000" },
  },
});
if (!values.dir) {
  console.error("Where to? node bench/seed.ts --dir <folder>");
  process.exit(2);
}

const plan = {
  runs: Number(values.runs),
  deliveries: Number(values.deliveries),
  triggers: Number(values.triggers),
  now: Date.now(),
};
const project = planProject(plan.triggers);
writeProject(values.dir, project);

const state = join(values.dir, ".signalbox");
const file = join(state, "signalbox.db");
mkdirSync(state, { recursive: true, mode: 0o700 });
await (await openSqliteStore({ file })).close();

const began = performance.now();
const seconds = () => Math.round((performance.now() - began) / 1000);
const written = await writeStore(file, project, {
  ...plan,
  onProgress({ deliveries, runs }) {
    if (deliveries % 20_000 === 0)
      process.stderr.write(
        `\r${deliveries.toLocaleString("en")} deliveries, ${runs.toLocaleString("en")} runs, ${seconds()} s `,
      );
  },
});
writeFileSync(join(values.dir, "bench.json"), JSON.stringify({ ...plan, ...written }));
const gigabytes = (statSync(file).size / 2 ** 30).toFixed(2);
console.error(
  `\n${written.deliveries} deliveries, ${written.runs} runs, ${plan.triggers} triggers: ${gigabytes} GiB in ${seconds()} s at ${values.dir}`,
);
