/**
 * Runs every check, cheapest failures first. `npm test -- unit e2e` runs the named steps only. `npm run check`
 * (`--changed`) runs the static checks, and the unit tests that import a file changed since `main`. A step that
 * succeeds prints one line; the output of a step that fails is printed in full.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { installOldestNode } from "./oldest-node.ts";
import { installMissing } from "./test-tools.ts";

const root = join(import.meta.dirname, "..");
/** `npm pack` builds `dist/` (prepack); one end-to-end test installs the packages. */
const packFolder = join(root, "node_modules/.cache/pack");
/** Tests start hundreds of Node processes: they share compiled code. */
const compileCache = join(root, "node_modules/.cache/compile");

/** The tests of reading bodies: what Node has for them differs between its versions. */
const bodyTests = ["server/domain/requests", "server/domain/json", "server/http/webhooks/requests"];

/** Each step resolves with whether it succeeded. The steps of a group run at the same time. */
const groups: Record<string, (output: Output) => Promise<boolean>>[] = [
  {
    types: (output) => inOrder(output, ["tsc", "-p", "."], ["tsc", "-p", "app"]),
    lint: (output) => run(output, "oxlint", ["--deny-warnings"]),
    format: (output) => run(output, "oxfmt", ["--check"]),
    "dead-code": (output) => run(output, "knip", []),
    tools: (output) => run(output, "node", ["scripts/test-tools.ts"]),
  },
  {
    unit: (output) => {
      installMissing(["postgres"]);
      return vitest(output, "unit", ["unit"], isChangedOnly ? ["--changed", mainBranch(), "--passWithNoTests"] : []);
    },
    "oldest-node": (output) =>
      run(output, installOldestNode(), [
        join(root, "node_modules/vitest/vitest.mjs"),
        "run",
        "--project",
        "unit",
        "--reporter=minimal",
        ...bodyTests,
      ]),
    pack: (output) => {
      rmSync(packFolder, { recursive: true, force: true });
      mkdirSync(packFolder, { recursive: true });
      return run(output, "npm", ["pack", "--pack-destination", packFolder, ".", "./cli/create-signalbox"]);
    },
    site: (output) => run(output, "node", ["docs/site/build.ts"]),
  },
  {
    e2e: (output) => {
      installMissing();
      return vitest(output, "e2e", ["processes", "e2e", "floods", "leases", "alone"]);
    },
  },
];

type Output = (chunk: Buffer) => void;

const names = groups.flatMap((group) => Object.keys(group));
const { isChangedOnly, wanted } = readArguments();
const reports = mkdtempSync(join(tmpdir(), "signalbox-test-"));

const running = new Set<ChildProcess>();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    for (const child of running) child.kill(signal);
    process.exit(1);
  });
}

const startedAt = performance.now();
let hasFailed = false;
for (const group of groups) {
  const steps = Object.entries(group).filter(([name]) => wanted.length === 0 || wanted.includes(name));
  const results = await Promise.all(steps.map(([name, step]) => report(name, step)));
  if (results.includes(false)) {
    hasFailed = true;
    break;
  }
}
printSlowest();
printCounts();
rmSync(reports, { recursive: true, force: true });
process.exit(hasFailed ? 1 : 0);

/** `--help`, and wrong arguments, end the program. */
function readArguments(): { isChangedOnly: boolean; wanted: string[] } {
  const usage = `npm test -- [--changed] [step …]\nThe steps are ${names.join(", ")}. Default: all, in this order.`;
  const options = { changed: { type: "boolean", default: false }, help: { type: "boolean", default: false } } as const;
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const unknown = positionals.filter((name) => !names.includes(name));
    if (unknown.length > 0) throw new Error(`Unknown step: ${unknown.join(", ")}.`);
    if (!values.help) return { isChangedOnly: values.changed, wanted: positionals };
    console.log(usage);
    process.exit(0);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
    process.exit(2);
  }
}

async function report(name: string, step: (output: Output) => Promise<boolean>): Promise<boolean> {
  const chunks: Buffer[] = [];
  const stepStartedAt = performance.now();
  if (process.stdout.isTTY) process.stdout.write(`… ${name}\r`);
  const succeeded = await step((chunk) => void chunks.push(chunk));
  if (!succeeded) process.stdout.write(`\n── ${name} ──\n${Buffer.concat(chunks).toString()}`);
  console.log(`${succeeded ? "✓" : "✗"} ${name.padEnd(11)} ${seconds(performance.now() - stepStartedAt).padStart(7)}`);
  return succeeded;
}

function vitest(output: Output, name: string, projects: string[], options: string[] = []): Promise<boolean> {
  const selected = projects.flatMap((project) => ["--project", project]);
  return run(output, "vitest", [
    "run",
    ...selected,
    ...options,
    "--reporter=minimal",
    "--reporter=json",
    `--outputFile.json=${reportFile(name)}`,
  ]);
}

/** On `main` itself, changes count from what was pushed. */
function mainBranch(): string {
  const isOnMain = git("branch", "--show-current").stdout.trim() === "main";
  const found = (isOnMain ? ["origin/main", "main"] : ["main", "origin/main"]).find(
    (ref) => git("rev-parse", "--verify", "--quiet", ref).status === 0,
  );
  if (found) return found;
  console.error(
    "Neither `main` nor `origin/main` exists, so changes cannot be found. Fetch one of them, or run all unit tests: `npm test -- unit`.",
  );
  process.exit(2);
}

function git(...args: string[]) {
  return spawnSync("git", args, { cwd: root, encoding: "utf8" });
}

async function inOrder(output: Output, ...commands: [string, ...string[]][]): Promise<boolean> {
  for (const [command, ...args] of commands) if (!(await run(output, command, args))) return false;
  return true;
}

function run(output: Output, command: string, args: string[]): Promise<boolean> {
  const own = join(root, "node_modules/.bin", command);
  const child = spawn(existsSync(own) ? own : command, args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  });
  running.add(child);
  child.stdout.on("data", output);
  child.stderr.on("data", output);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      running.delete(child);
      resolve(code === 0);
    });
  });
}

function reportFile(name: string): string {
  return join(reports, `${name}.json`);
}

function readReports() {
  const schema = z.object({
    numPassedTests: z.number(),
    numFailedTests: z.number(),
    numPendingTests: z.number(),
    testResults: z.array(z.object({ name: z.string(), startTime: z.number(), endTime: z.number() })),
  });
  const files = ["unit", "e2e"].map(reportFile).filter((file) => existsSync(file));
  return files.map((file) => schema.parse(JSON.parse(readFileSync(file, "utf8"))));
}

function printSlowest(): void {
  const files = readReports().flatMap(({ testResults }) =>
    testResults.map(({ name, startTime, endTime }) => ({ name, ms: endTime - startTime })),
  );
  if (files.length === 0) return;
  console.log("\nSlowest files:");
  for (const { name, ms } of files.toSorted((a, b) => b.ms - a.ms).slice(0, 10))
    console.log(`${seconds(ms).padStart(9)}  ${relative(root, name)}`);
}

function printCounts(): void {
  const counts = readReports();
  const sum = (key: "numPassedTests" | "numFailedTests" | "numPendingTests") =>
    counts.reduce((total, count) => total + count[key], 0);
  console.log(`\n${seconds(performance.now() - startedAt)} in all`);
  console.log(`${sum("numPassedTests")} passed, ${sum("numFailedTests")} failed, ${sum("numPendingTests")} skipped`);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
