// What the service can do, next to other things that did the same work in the same run: npm run bench -- [--only rows] [--quick]
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { packageRoot } from "../server/paths.ts";
import { startLoadClient } from "./load/start-client.ts";
import { profileService, profilingOptions } from "./report/profile-service.ts";
import { printProfiles } from "./report/print-profiles.ts";
import { allRows } from "./rows/all-rows.ts";
import type { Bench } from "./rows/bench.ts";
import type { Row } from "./rows/row.ts";
import { writeBenchProject } from "./service/bench-project.ts";
import { linkCheckout } from "./service/signalbox-service.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false }, only: { type: "string" }, profile: { type: "string" }, sources: { type: "string" } } });
const names = (values.profile ?? values.only ?? Object.keys(allRows).join()).split(",");
const unknown = names.filter((name) => !Object.hasOwn(allRows, name));
if (unknown.length > 0) {
  console.error(`There is no row ${unknown.join(", ")}. There are: ${Object.keys(allRows).join(", ")}.`);
  process.exit(2);
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const profiles = values.profile === undefined ? null : mkdtempSync(join(tmpdir(), "signalbox-profiles-"));
const client = startLoadClient();
const bench: Bench = {
  client,
  turnMs: values.quick ? 1_500 : 4_000,
  rounds: values.quick ? 3 : 7,
  makeProject(options) {
    const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
    writeBenchProject(folder, options);
    linkCheckout(folder, resolve(values.sources ?? packageRoot));
    return folder;
  },
  nodeOptions: profiles === null ? undefined : profilingOptions(profiles),
  profile: profiles === null ? null : (service, turn) => profileService(profiles, service, turn),
};
const rows: Row[] = [];
try {
  for (const name of names) {
    console.error(`measuring ${name} …`);
    rows.push(...((await allRows[name]?.(bench)) ?? []));
  }
} finally {
  client.close();
}
for (const row of rows) console.log(row);
if (profiles) printProfiles(profiles);
