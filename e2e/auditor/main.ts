/**
 * The long audits: `npm run audit`. Without options, it conducts all of them: 200 kills on SQLite, 50 on several
 * machines with one Postgres. Then two servers on one store, one of which is stopped past its leases, and a kill at
 * every system call that writes to disk. Each prints a verdict. The exit code is 1 if a rule is broken. One of them
 * alone: `--kills
 * 200`, `--store postgres --kills 50`, `--late 5` (stops), `--calls accept` or `--calls run` (`--stride 3`: every third
 * call). `--mutant <name>` audits a mutant of the product. `--seed 7` repeats an audit.
 */
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { audit, defaultOptions, type Verdict } from "./audit.ts";
import { auditMachines, type MachinesAuditOptions } from "./audit-machines.ts";
import { auditLateness } from "./lateness.ts";
import { sweepCalls } from "./system-calls.ts";
import { type MutantName, mutants, noFencing } from "./mutants.ts";
import { postgresMutants } from "./postgres-mutants.ts";
import { findOrInstallStrace } from "./strace.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    gap: { type: "string", default: String(defaultOptions.gapMs) },
    pace: { type: "string", default: String(defaultOptions.paceMs) },
    workers: { type: "string", default: String(defaultOptions.workers) },
    store: { type: "string" },
    mutant: { type: "string" },
    late: { type: "string" },
    calls: { type: "string" },
    stride: { type: "string", default: "1" },
  },
});

const isMutant = (name: string): name is MutantName => Object.hasOwn(mutants, name);
if (
  values.store !== "postgres" &&
  values.mutant !== undefined &&
  values.mutant !== "no-fencing" &&
  !isMutant(values.mutant)
)
  fail(`There is no mutant ${values.mutant}. There are: ${Object.keys(mutants).join(", ")}.`, 2);
const mutant = values.mutant !== undefined && isMutant(values.mutant) ? mutants[values.mutant].audit : {};

if (values.store !== undefined && !["sqlite", "postgres"].includes(values.store))
  fail(`There is no store ${values.store}. There are: sqlite, postgres.`, 2);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const seed = Number(values.seed);
const traffic = { seed, gapMs: Number(values.gap), paceMs: Number(values.pace), print: say };
const onSqlite = (kills: number) => audit({ ...traffic, kills, workers: Number(values.workers), ...mutant });
const onPostgres = (kills: number) => auditMachines({ ...traffic, kills, ...postgresMutant(), keep });
const withLateness = (stops: number) =>
  auditLateness({ seed, stops, changes: values.mutant === "no-fencing" ? noFencing : [], print: say });
const atCallsOf = (of: "accept" | "run") => sweepCalls({ of, stride: Number(values.stride), print: say });

let findings = 0;
for (const [name, conduct] of Object.entries(chooseAudits())) {
  say(`${name} (seed ${seed})`);
  const { violations, facts, summary } = await conduct();
  say(summary);
  findings += violations.length;
  if (violations.length === 0) continue;
  const file = join(tmpdir(), `signalbox-audit-${seed}-${name.replaceAll(/\W+/g, "-")}.json`);
  writeFileSync(file, JSON.stringify(facts, null, 1));
  for (const { rule, what } of violations.slice(0, 50)) say(`BROKEN: ${rule}: ${what}`);
  say(`All that was written down: ${file}`);
}
if (findings > 0) fail(`${findings} findings (seed ${seed}).`, 1);
say(`No rule is broken (seed ${seed}).`);

function chooseAudits(): Record<string, () => Promise<Verdict>> {
  const { calls, late, store, kills, mutant: broken } = values;
  if (calls === "accept" || calls === "run") return { [`System calls: ${calls}`]: () => atCallsOf(calls) };
  if (late !== undefined) return { "Late servers": () => withLateness(Number(late)) };
  if (store === "postgres") return { Postgres: () => onPostgres(Number(kills ?? 50)) };
  if (store !== undefined || kills !== undefined || broken !== undefined)
    return { SQLite: () => onSqlite(Number(kills ?? 50)) };
  const traced = { "System calls: accept": () => atCallsOf("accept"), "System calls: run": () => atCallsOf("run") };
  const canTrace = findOrInstallStrace();
  if (!canTrace) say("strace cannot be used here: the system calls are left out.");
  return {
    SQLite: () => onSqlite(200),
    Postgres: () => onPostgres(50),
    "Late servers": () => withLateness(5),
    ...(canTrace ? traced : {}),
  };
}

function keep(outputs: string[]): void {
  for (const [at, output] of outputs.entries())
    writeFileSync(join(tmpdir(), `signalbox-audit-${seed}-machine-${at}.log`), output);
}

function postgresMutant(): Partial<MachinesAuditOptions> {
  const found = Object.entries(postgresMutants).find(([name]) => name === values.mutant);
  if (values.mutant !== undefined && !found)
    fail(`There is no mutant ${values.mutant} on Postgres. There are: ${Object.keys(postgresMutants).join(", ")}.`, 2);
  return found ? found[1].audit : {};
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(line: string, code: number): never {
  process.stderr.write(`${line}\n`);
  process.exit(code);
}
