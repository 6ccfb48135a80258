/**
 * The auditor by hand, for as long as one likes: `node e2e/auditor/main.ts --kills 200 --seed 7`. Prints what it does, and a verdict; exits with
 * 1 when a rule is broken. `--mutant <name>` audits a service that is broken on purpose.
 */
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { audit, defaultOptions } from "./audit.ts";
import { auditLateness } from "./lateness.ts";
import { type MutantName, mutants, noFencing } from "./mutants.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "50" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    gap: { type: "string", default: String(defaultOptions.gapMs) },
    pace: { type: "string", default: String(defaultOptions.paceMs) },
    workers: { type: "string", default: String(defaultOptions.workers) },
    mutant: { type: "string" },
    late: { type: "string" },
  },
});

const isMutant = (name: string): name is MutantName => Object.hasOwn(mutants, name);
if (values.mutant !== undefined && values.mutant !== "no-fencing" && !isMutant(values.mutant)) fail(`There is no mutant ${values.mutant}. There are: ${Object.keys(mutants).join(", ")}.`, 2);
const mutant = values.mutant === undefined || values.mutant === "no-fencing" ? {} : mutants[values.mutant].audit;

const seed = Number(values.seed);
say(`seed ${seed}`);
const { violations, facts, summary } = values.late ? await auditLateness({ seed, stops: Number(values.late), changes: values.mutant === "no-fencing" ? noFencing : [], tell: say }) : await audit({
  seed,
  kills: Number(values.kills),
  gapMs: Number(values.gap),
  paceMs: Number(values.pace),
  workers: Number(values.workers),
  ...mutant,
  tell: say,
});
say(summary);
if (violations.length === 0) say(`No rule is broken (seed ${seed}).`);
else {
  const file = join(tmpdir(), `signalbox-audit-${seed}.json`);
  writeFileSync(file, JSON.stringify(facts, null, 1));
  for (const { rule, what } of violations.slice(0, 50)) say(`BROKEN: ${rule}: ${what}`);
  fail(`${violations.length} findings (seed ${seed}). All that was written down: ${file}`, 1);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(line: string, code: number): never {
  process.stderr.write(`${line}\n`);
  process.exit(code);
}
