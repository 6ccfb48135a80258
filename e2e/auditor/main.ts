/**
 * The auditor by hand, for as long as one likes: `node e2e/auditor/main.ts --kills 200 --seed 7`. Prints what it does, and a verdict; exits with
 * 1 when a rule is broken. `--mutant <name>` audits a service that is broken on purpose, `--late 5` two servers on one store, of which one is
 * stopped past its leases, five times; `--store postgres` several machines on one database, which are all killed, the database too; `--calls accept` and `--calls run` kill at every call that writes to disk (`--stride 3`: at every third).
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

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "50" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    gap: { type: "string", default: String(defaultOptions.gapMs) },
    pace: { type: "string", default: String(defaultOptions.paceMs) },
    workers: { type: "string", default: String(defaultOptions.workers) },
    store: { type: "string", default: "sqlite" },
    mutant: { type: "string" },
    late: { type: "string" },
    calls: { type: "string" },
    stride: { type: "string", default: "1" },
  },
});

const isMutant = (name: string): name is MutantName => Object.hasOwn(mutants, name);
if (values.mutant !== undefined && values.mutant !== "no-fencing" && !isMutant(values.mutant)) fail(`There is no mutant ${values.mutant}. There are: ${Object.keys(mutants).join(", ")}.`, 2);
const mutant = values.mutant === undefined || values.mutant === "no-fencing" ? {} : mutants[values.mutant].audit;

if (!["sqlite", "postgres"].includes(values.store)) fail(`There is no store ${values.store}. There are: sqlite, postgres.`, 2);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const seed = Number(values.seed);
say(`seed ${seed}`);
const { violations, facts, summary } = await conduct();
say(summary);
if (violations.length === 0) say(`No rule is broken (seed ${seed}).`);
else {
  const file = join(tmpdir(), `signalbox-audit-${seed}.json`);
  writeFileSync(file, JSON.stringify(facts, null, 1));
  for (const { rule, what } of violations.slice(0, 50)) say(`BROKEN: ${rule}: ${what}`);
  fail(`${violations.length} findings (seed ${seed}). All that was written down: ${file}`, 1);
}

function conduct(): Promise<Verdict> {
  const { calls, late, stride } = values;
  if (calls === "accept" || calls === "run") return sweepCalls({ of: calls, stride: Number(stride), tell: say });
  if (late) return auditLateness({ seed, stops: Number(late), changes: values.mutant === "no-fencing" ? noFencing : [], tell: say });
  if (values.store === "postgres") return auditMachines({ seed, kills: Number(values.kills), gapMs: Number(values.gap), paceMs: Number(values.pace), ...postgresMutant(), tell: say, keep });
  return audit({ seed, kills: Number(values.kills), gapMs: Number(values.gap), paceMs: Number(values.pace), workers: Number(values.workers), ...mutant, tell: say });
}

function keep(outputs: string[]): void {
  for (const [at, output] of outputs.entries()) writeFileSync(join(tmpdir(), `signalbox-audit-${seed}-machine-${at}.log`), output);
}

function postgresMutant(): Partial<MachinesAuditOptions> {
  const found = Object.entries(postgresMutants).find(([name]) => name === values.mutant);
  if (values.mutant !== undefined && !found) fail(`There is no mutant ${values.mutant} on Postgres. There are: ${Object.keys(postgresMutants).join(", ")}.`, 2);
  return found ? found[1].audit : {};
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(line: string, code: number): never {
  process.stderr.write(`${line}\n`);
  process.exit(code);
}
