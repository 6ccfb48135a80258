/**
 * `npm run fuzz`: starts the built service and sends it mutated requests, for an hour by default. Everything follows
 * from the seed. Options: `--minutes 5`, `--seed 7`; `--case 1234` sends one case of the seed, and prints its
 * responses. The exit code is 1 if there are findings.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { manyCleanups } from "../../scripts/cleanups.ts";
import { setup as ensureBuilt } from "../../scripts/ensure-built.ts";
import { describeProgress, fuzz } from "./fuzz.ts";
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
if (!Number.isInteger(seed) || !(minutes > 0) || !/^\d*$/.test(values.case ?? ""))
  fail("--seed and --case are whole numbers, and --minutes is more than 0.", 2);

const cleanUps: (() => void | Promise<void>)[] = [];
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void end(1));

ensureBuilt();
say(`seed ${seed}`);
const target = await startFuzzedService(manyCleanups((cleanUp) => void cleanUps.push(cleanUp)));
const isReplay = values.case !== undefined;
const report = await fuzz(target, {
  seed,
  routes: listFuzzRoutes(),
  cases: isReplay ? [Number(values.case)] : allNumbers(),
  maxMs: minutes * 60_000,
  folder: join(tmpdir(), `signalbox-fuzz-${seed}`),
  print: say,
  onCase: (sent, received) => {
    if (isReplay)
      say(
        `${sent.route} (${sent.mutations.join(", ")})\n${received.map(({ head, body }) => `${head}\n\n${body}`).join("\n\n")}`,
      );
  },
});
say(describeProgress(report));
say(
  report.findings.length === 0 ? `No findings (seed ${seed}).` : `${report.findings.length} findings (seed ${seed}).`,
);
await end(report.findings.length === 0 ? 0 : 1);

function* allNumbers(): Generator<number> {
  for (let number = 0; ; number += 1) yield number;
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
