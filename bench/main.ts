// Measures the service, beside other programs that did the same work in the same run. `npm run bench -- --help` lists
// the options.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { packageRoot } from "../server/paths.ts";
import { startLoadClient } from "./load/start-client.ts";
import { rememberInstalls } from "./peers/install-peer.ts";
import { describeMachine, hasUncommitted, idOfCommit } from "./report/machine.ts";
import { printProfiles } from "./report/print-profiles.ts";
import { profileService, profilingOptions } from "./report/profile-service.ts";
import { type Cells, cellsOf, markdownTable, replaceTable, textTable } from "./report/table.ts";
import { allRows } from "./rows/all-rows.ts";
import type { Bench } from "./measure/bench.ts";
import type { Row } from "./measure/row.ts";
import { writeBenchProject } from "./service/bench-project.ts";
import { measureStores } from "./stores/measure-stores.ts";
import { storesRows } from "./stores/stores-rows.ts";
import { installPackageOf, linkModules } from "./service/package-of-commit.ts";
import { linkCheckout } from "./service/signalbox-service.ts";

const help = `npm run bench -- [options]

  --only <rows>     some of the rows, e.g. --only accepts,latency
                    (${Object.keys(allRows).join(", ")})
  --stores          instead of the rows: SQLite and Postgres with 1, 2 and 4 workers, and two web services
  --quick           shorter and fewer rounds: to see that it works, not to quote
  --peers           also Node-RED, n8n and Restate, installed by npm into ~/.cache/signalbox-bench
  --commit <id>     what npm pack makes of this commit; otherwise of the last one
  --sources <dir>   the sources of a checkout with its node_modules, without packing
  --profile <row>   where the processes of the service spend their time in this row; writes .cpuprofile files
  --json <file>     the rows, and what they were measured on, also as JSON
  --markdown        writes them into docs/performance.md, too
`;
const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    only: { type: "string" },
    stores: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    peers: { type: "boolean", default: false },
    commit: { type: "string", default: "HEAD" },
    sources: { type: "string" },
    profile: { type: "string" },
    json: { type: "string" },
    markdown: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(help);
  process.exit();
}
const names = (values.profile ?? values.only ?? Object.keys(allRows).join()).split(",");
const unknown = names.filter((name) => !Object.hasOwn(allRows, name));
if (unknown.length > 0) {
  console.error(`There is no row ${unknown.join(", ")}. There are: ${Object.keys(allRows).join(", ")}.`);
  process.exit(2);
}
process.setMaxListeners(0);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const commit = idOfCommit(values.commit);
const product =
  values.sources === undefined
    ? `commit ${commit}, packed and installed by npm`
    : `the sources in ${resolve(values.sources)}`;
const provideModules = prepareModules();
const profiles = values.profile === undefined ? null : mkdtempSync(join(tmpdir(), "signalbox-profiles-"));
const client = startLoadClient({ share: "first" });
const notes: string[] = [];
const note = (text: string) => void (notes.includes(text) || notes.push(text));
if (values.quick) note("Measured with `--quick`: too short to be quoted.");
if (!values.peers && !values.stores)
  note("Without Node-RED, n8n and Restate: `npm run bench -- --peers` installs them and measures them, too.");
const bench: Bench = {
  client,
  note,
  peers: values.peers ? rememberInstalls() : null,
  turnMs: values.quick ? 1_500 : 4_000,
  rounds: values.quick ? 3 : 7,
  backlog: values.quick ? 500 : 10_000,
  makeProject(options) {
    const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
    process.once("exit", () => removeIfPossible(folder));
    writeBenchProject(folder, options);
    provideModules(folder);
    return folder;
  },
  nodeOptions: profiles === null ? undefined : profilingOptions(profiles),
  profile: profiles === null ? null : (service, turn) => profileService(profiles, service, turn),
};

const [load = 0] = loadavg();
if (load > 0.5) note(`The machine did other things, too: its load was ${load.toFixed(1)} when this began.`);
const described = describeMachine(product);
let results: Row[] | null = null;
const cells = await measure().finally(() => client.close());
if (client.highestCpu() > 0) note(`The client used ${client.highestCpu().toFixed(2)} of one core at most.`);
if (profiles) printProfiles(profiles);
else report();

async function measure(): Promise<Cells> {
  if (values.stores) {
    const { stores, webs } = await measureStores(bench);
    results = storesRows(stores, webs);
    return cellsOf(results);
  }
  const rows: Row[] = [];
  for (const name of names) {
    console.error(`measuring ${name} …`);
    try {
      rows.push(...((await allRows[name]?.(bench)) ?? []));
    } catch (error) {
      // The other rows are still useful.
      process.exitCode = 1;
      note(`${name} could not be measured: ${error instanceof Error ? error.message : String(error)}`);
      console.error(error);
    }
  }
  results = rows;
  return cellsOf(rows);
}

function report(): void {
  console.log(
    `${described.map(([name, text]) => `${name.padEnd(12)} ${text}`).join("\n")}\n\n${textTable(cells)}\n${notes.map((note) => `\n${note}`).join("")}`,
  );
  if (values.json !== undefined)
    writeFileSync(
      values.json,
      `${JSON.stringify({ machine: Object.fromEntries(described), notes, rows: results ?? cells }, null, 2)}\n`,
    );
  if (values.markdown) {
    const page = join(packageRoot, "docs/performance.md");
    writeFileSync(
      page,
      replaceTable(
        readFileSync(page, "utf8"),
        markdownTable(cells, described, notes),
        values.stores ? " --stores" : "",
      ),
    );
  }
}

function prepareModules(): (folder: string) => void {
  if (values.sources !== undefined) {
    const checkout = resolve(values.sources);
    return (folder) => linkCheckout(folder, checkout);
  }
  if (values.commit === "HEAD" && hasUncommitted())
    console.error("There are changes that are not committed; the last commit is measured.");
  const installed = installPackageOf(commit);
  return (folder) => linkModules(folder, installed);
}

/** For interrupted rows; the others have removed their folders. A process that still writes into it may recreate it. */
function removeIfPossible(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    console.error(`${folder} could not be removed.`);
  }
}
