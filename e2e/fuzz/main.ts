/**
 * `npm run fuzz`: starts the built service and sends it mutated requests, for an hour by default. Everything follows
 * from the seed. Options: `--minutes 5`, `--seed 7`; `--case 12` or `--case 12,34` sends these cases of the seed, one
 * after the other, and prints their responses. The exit code is 1 if there are findings.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { manyCleanups } from "../../scripts/cleanups.ts";
import { setup as ensureBuilt } from "../../scripts/ensure-built.ts";
import { describeProgress, fuzz } from "./fuzz.ts";
import type { FuzzCase } from "./make-case.ts";
import type { Received } from "./send-wire.ts";
import { startFuzzedService } from "./fuzzed-service.ts";
import { listFuzzRoutes } from "./routes.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    case: { type: "string" },
  },
});
const [seed, minutes] = [Number(values.seed), Number(values.minutes)];
if (!Number.isInteger(seed) || !(minutes > 0) || !/^(\d+(,\d+)*)?$/.test(values.case ?? ""))
  fail("--seed is a whole number, --case one or more of them, and --minutes is more than 0.", 2);

const cleanUps: (() => void | Promise<void>)[] = [];
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void end(1));

ensureBuilt();
say(`seed ${seed}`);
const target = await startFuzzedService(manyCleanups((cleanUp) => void cleanUps.push(cleanUp)));
const options = {
  seed,
  routes: listFuzzRoutes(),
  maxMs: minutes * 60_000,
  folder: join(tmpdir(), `signalbox-fuzz-${seed}`),
  print: say,
};
const findings =
  values.case === undefined ? await fuzzAll() : await replay(values.case.split(",").map((number) => Number(number)));
say(`${findings === 0 ? "No" : findings} findings (seed ${seed}).`);
await end(findings === 0 ? 0 : 1);

async function fuzzAll(): Promise<number> {
  const report = await fuzz(target, { ...options, cases: allNumbers() });
  say(describeProgress(report));
  return report.findings.length;
}

function* allNumbers(): Generator<number> {
  for (let number = 0; ; number += 1) yield number;
}

async function replay(numbers: readonly number[]): Promise<number> {
  let found = 0;
  for (const number of numbers) {
    const onCase = (sent: FuzzCase, received: readonly Received[]) =>
      say(
        `case ${number}: ${sent.route} (${sent.mutations.join(", ") || "unchanged"})\n${received.map(({ head, body }) => `${head}\n\n${body}`).join("\n\n")}`,
      );
    found += (await fuzz(target, { ...options, cases: [number], onCase })).findings.length;
  }
  return found;
}

async function end(code: number): Promise<never> {
  for (const cleanUp of cleanUps) await cleanUp();
  process.exit(code);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(line: string, code: number): never {
  process.stderr.write(`${line}\n`);
  process.exit(code);
}
