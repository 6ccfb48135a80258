/**
 * Everything that must hold, in the order in which a failure is cheapest to find. `npm test -- unit` or another step's name runs one.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { findOrInstallBrowser } from "./find-browser.ts";
import { findOrInstallFaketime } from "./find-faketime.ts";
import { findOrInstallSlowhttptest } from "./find-slowhttptest.ts";

const root = join(import.meta.dirname, "..");
const reports = mkdtempSync(join(tmpdir(), "signalbox-test-"));
/** `npm pack` builds (prepack); the end-to-end tests install what it made. */
const packFolder = join(root, "node_modules/.cache/pack");

const steps: Record<string, () => void> = {
  types: () => {
    run("tsc", ["-p", "."]);
    // Next's types make NODE_ENV compulsory everywhere, so the pages are a program of their own.
    run("tsc", ["-p", "app"]);
  },
  lint: () => run("oxlint", ["--deny-warnings"]),
  "dead-code": () => run("knip", []),
  unit: () => vitest("unit"),
  pack: () => {
    rmSync(packFolder, { recursive: true, force: true });
    mkdirSync(packFolder, { recursive: true });
    const result = spawnSync("npm", ["pack", "--pack-destination", packFolder], { cwd: root, stdio: "inherit" });
    if (result.status !== 0) hasFailed = true;
  },
  e2e: () => {
    process.env["CHROMIUM_PATH"] = findOrInstallBrowser();
    findOrInstallFaketime();
    findOrInstallSlowhttptest();
    vitest("e2e");
  },
};

const reportSchema = z.object({ numPassedTests: z.number(), numFailedTests: z.number(), numPendingTests: z.number() });

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(steps, name));
if (unknown.length > 0) {
  console.error(`There is no step ${unknown.join(", ")}. There are: ${Object.keys(steps).join(", ")}.`);
  process.exit(2);
}

let hasFailed = false;
for (const [name, step] of Object.entries(steps)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n── ${name} ──`);
  const startedAt = performance.now();
  step();
  console.log(`── ${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  if (hasFailed) break;
}

const counts = ["unit", "e2e"].flatMap((project) => readCounts(project));
const passed = counts.reduce((sum, count) => sum + count.numPassedTests, 0);
const failed = counts.reduce((sum, count) => sum + count.numFailedTests, 0);
const skipped = counts.reduce((sum, count) => sum + count.numPendingTests, 0);
console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(hasFailed ? 1 : 0);

function vitest(project: string): void {
  const parallel = project === "e2e" ? ["--no-file-parallelism"] : [];
  run("vitest", ["run", "--project", project, ...parallel, "--reporter=default", "--reporter=json", `--outputFile.json=${reportFile(project)}`]);
}

function run(command: string, args: string[]): void {
  const result = spawnSync(join(root, "node_modules/.bin", command), args, { cwd: root, stdio: "inherit" });
  if (result.status !== 0) hasFailed = true;
}

function reportFile(project: string): string {
  return join(reports, `${project}.json`);
}

function readCounts(project: string) {
  const file = reportFile(project);
  return existsSync(file) ? [reportSchema.parse(JSON.parse(readFileSync(file, "utf8")))] : [];
}
