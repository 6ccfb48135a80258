import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { findGrowth, type Growth } from "../../bench/soak/find-growth.ts";
import type { Sample } from "../../bench/soak/sample.ts";
import { percentile } from "../../bench/report/statistics.ts";
import { checkResponses, createSecretFinder, type Fault } from "./check-responses.ts";
import { honestEndpoint } from "./fuzzed-project.ts";
import type { HonestResponse, HonestSender } from "./honest-sender.ts";
import { type FuzzCase, makeCase } from "./make-case.ts";
import type { FuzzRoute, FuzzValues } from "./request.ts";
import { type Received, sendWire } from "./send-wire.ts";
import { createLogWatch } from "./watch-log.ts";

/** The service that is fuzzed. */
export interface Target {
  port: number;
  values: FuzzValues;
  /**
   * Values that no response and no log line may contain, by name. The sensitive value is another one, but in a response
   * to the client that has sent it.
   */
  secrets: Readonly<Record<string, string>>;
  /** Everything that it has logged. */
  log(): string;
  sample(): Sample;
  /** Collects the garbage of its processes. The memory that each still uses, in MiB, by name. */
  measureRetained(): Promise<Readonly<Record<string, number>>>;
}

export interface FuzzOptions {
  seed: number;
  routes: readonly FuzzRoute[];
  /** The numbers of the cases, in their order. */
  cases: Iterable<number>;
  /** No case begins later. */
  maxMs: number;
  /** The folder for the requests of the findings. */
  folder: string;
  /** A webhook of the honest sender that takes longer is a finding. Default: 2 seconds. */
  stallMs?: number;
  /** The retained memory is measured after each of these numbers of cases, when none is in progress. Default: 3,000. */
  measureEvery?: number;
  onCase?: (sent: FuzzCase, received: readonly Received[]) => void;
  print: (line: string) => void;
}

/** A fault, with the cases that may have caused it: one, or those that were in progress. */
interface Finding extends Fault {
  cases: { number: number; route: string; mutations: readonly string[]; file: string }[];
}

export interface FuzzReport {
  findings: Finding[];
  /** How often each route was requested. */
  routes: Map<string, number>;
  /** Responses by status. 0: a connection that had none. */
  statuses: Map<number, number>;
  /** Of the honest sender, in ms. */
  honest: { count: number; p99: number; slowest: number };
  samples: Sample[];
  retained: Readonly<Record<string, number>>[];
}

/** Cases that are sent at the same time. */
const concurrency = 16;
const honestEveryMs = 500;
const watchEveryMs = 500;
const sampleEveryMs = 5_000;
const printEveryMs = 60_000;
/** A fault of the log is that of a case which ended this long before, at most. */
const suspectMs = 1_000;
const maxSuspects = 40;
/** Of one process. Measured: less than 500 MiB. */
const maxRssMb = 1_000;
/** With fewer measurements, the growth of retained memory says nothing: code and caches are still loaded. */
const minMeasurements = 10;
/** For the machine code of functions and for caches of a bounded size: of Next's router, of past traffic. */
const retainedSlack = { share: 0.1, fixed: 4 };

/** Sends cases to a service and watches it. */
export async function fuzz(target: Target, options: FuzzOptions): Promise<FuzzReport> {
  const { seed, routes, print, stallMs = 2_000, measureEvery = 3_000 } = options;
  const plan = { seed, routes, values: target.values };
  const { sensitive } = target.values;
  const findKey = createSecretFinder(target.secrets);
  const findSecret = createSecretFinder({ ...target.secrets, "a sensitive value": sensitive });
  const readLog = createLogWatch(target.log, findSecret);
  const began = performance.now();
  const report: FuzzReport = {
    findings: [],
    routes: new Map(),
    statuses: new Map(),
    honest: summarize([]),
    samples: [target.sample()],
    retained: [],
  };
  const latencies: number[] = [];
  const known = new Map<string, number>();
  /** By number: when it ended. `null`: it is in progress. */
  const recent = new Map<number, number | null>();

  const honest = new Worker(new URL("./honest-sender.ts", import.meta.url), {
    workerData: {
      url: `http://127.0.0.1:${target.port}/triggers/${honestEndpoint}`,
      key: target.values.webhookKey,
      everyMs: honestEveryMs,
    } satisfies HonestSender,
  });
  honest.on("message", ({ status, tookMs }: HonestResponse) => {
    latencies.push(tookMs);
    if (status !== 202) add({ kind: "bystander", detail: `A valid webhook got ${status}.` }, suspects(tookMs));
    else if (tookMs > stallMs)
      add(
        {
          kind: "bystander",
          detail: `A valid webhook took more than ${stallMs} ms: ${tookMs.toFixed(0)} ms, with a load average of ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores.`,
        },
        suspects(tookMs),
      );
  });
  const timers = [
    setInterval(watch, watchEveryMs),
    setInterval(sample, sampleEveryMs),
    setInterval(() => print(describeProgress({ ...report, honest: summarize(latencies) })), printEveryMs),
  ];

  const numbers = options.cases[Symbol.iterator]();
  let isOver = false;
  while (!isOver) {
    const round = takeRound();
    await Promise.all(Array.from({ length: concurrency }, () => sendCases(round)));
    sample();
    report.retained.push(await target.measureRetained());
  }
  // What the last cases caused is logged by then.
  await new Promise((resolve) => setTimeout(resolve, 2 * watchEveryMs));
  for (const timer of timers) clearInterval(timer);
  watch();
  sample();
  await honest.terminate();
  for (const { what, early, late, isGrowth } of report.retained.length < minMeasurements ? [] : findAllGrowth(report)) {
    print(`${what}: ${early.toFixed(1)} early, ${late.toFixed(1)} late`);
    if (isGrowth) add({ kind: "memory", detail: `${what} grew from ${early.toFixed(0)} to ${late.toFixed(0)}.` }, []);
  }
  return { ...report, honest: summarize(latencies) };

  /** The numbers of the cases until memory is measured. */
  function* takeRound(): Generator<number> {
    for (let count = 0; count < measureEvery; count += 1) {
      const next = numbers.next();
      isOver = next.done === true || performance.now() - began > options.maxMs;
      if (isOver) return;
      yield next.value;
    }
  }

  async function sendCases(round: Iterable<number>): Promise<void> {
    for (const number of round) {
      const one = makeCase(plan, number);
      recent.set(one.number, null);
      const received = await sendWire(target.port, one.wire);
      recent.set(one.number, performance.now());
      report.routes.set(one.route, (report.routes.get(one.route) ?? 0) + 1);
      for (const status of received.length > 0 ? received.map((response) => response.status) : [0])
        report.statuses.set(status, (report.statuses.get(status) ?? 0) + 1);
      for (const fault of checkResponses(received, one.hasSensitive ? findKey : findSecret)) add(fault, [one.number]);
      options.onCase?.(one, received);
    }
  }

  function watch(): void {
    const since = performance.now() - suspectMs - watchEveryMs;
    for (const [number, endedAt] of recent) if (endedAt !== null && endedAt < since - 10_000) recent.delete(number);
    for (const fault of readLog()) add(fault, suspects(suspectMs + watchEveryMs));
  }

  function sample(): void {
    const before = report.samples.at(-1);
    const now = target.sample();
    report.samples.push(now);
    const pids = new Set(now.processes.map(({ pid }) => pid));
    for (const { name, pid } of before?.processes ?? [])
      if (name !== "other" && !pids.has(pid))
        add({ kind: "exit", detail: `The process ${name} has exited.` }, suspects(sampleEveryMs));
    for (const { name, rssMb } of now.processes)
      if (rssMb > maxRssMb)
        add({ kind: "memory", detail: `The process ${name} has more than ${maxRssMb} MiB.` }, suspects(sampleEveryMs));
  }

  function suspects(withinMs: number): number[] {
    const since = performance.now() - withinMs;
    return [...recent].flatMap(([number, endedAt]) => (endedAt === null || endedAt > since ? [number] : []));
  }

  /** The same fault is one finding, with its first cases. */
  function add(fault: Fault, suspected: readonly number[]): void {
    const first = suspected[0] === undefined ? null : makeCase(plan, suspected[0]);
    const id = `${fault.kind} ${suspected.length === 1 ? first?.route : ""} ${essenceOf(fault.detail)}`;
    known.set(id, (known.get(id) ?? 0) + 1);
    if (known.get(id) !== 1) return;
    const cases = suspected.slice(-maxSuspects).map((number) => saveCase(makeCase(plan, number), options.folder));
    const finding = { ...fault, cases };
    report.findings.push(finding);
    print(describeFinding(finding, seed));
  }
}

/** Resident memory is not compared: under load, V8 keeps hundreds of megabytes of garbage before it collects them. */
function findAllGrowth({ samples, retained }: FuzzReport): Growth[] {
  const names = Object.keys(retained[0] ?? {});
  return [...findGrowth(samples, ["descriptors"]), ...names.map((name) => compareRetained(name, retained))];
}

/**
 * Compares the least memory of the second fifth with that of the last one. Work that is in progress, such as a
 * comparison of deliveries, needs up to 50 MiB for a moment.
 */
function compareRetained(name: string, retained: FuzzReport["retained"]): Growth {
  const values = retained.map((byName) => byName[name] ?? Number.NaN).filter((mb) => !Number.isNaN(mb));
  const fifth = Math.floor(values.length / 5);
  const [early, late] = [Math.min(...values.slice(fifth, 2 * fifth)), Math.min(...values.slice(-fifth))];
  const { share, fixed } = retainedSlack;
  return { what: `retained MiB of ${name}`, early, late, isGrowth: late > early * (1 + share) + fixed };
}

/** Numbers, ids and dates differ each time. */
function essenceOf(detail: string): string {
  return detail
    .slice(0, 300)
    .replaceAll(/\b[a-z]{2,4}_\w+|\d{4}-\d\d-\d\dT[\d:.]+Z|\d[\d.,]*/g, "#")
    .replaceAll(/^(?:date|content-length|x-request-id|signalbox-\w+):.*$/gim, "");
}

function saveCase({ number, route, mutations, wire }: FuzzCase, folder: string): Finding["cases"][number] {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `case-${number}.http`);
  writeFileSync(file, Buffer.concat(wire.parts));
  return { number, route, mutations, file };
}

function describeFinding({ kind, detail, cases }: Finding, seed: number): string {
  const lines = cases.map(
    ({ number, route, mutations, file }) =>
      `  case ${number}: ${route} (${mutations.join(", ") || "unchanged"})\n    request: ${file}\n    replay: npm run fuzz -- --seed ${seed} --case ${number}`,
  );
  return [`FINDING, ${kind}: ${detail}`, `  seed ${seed}`, ...lines].join("\n");
}

function summarize(latencies: readonly number[]): FuzzReport["honest"] {
  const sorted = Float64Array.from(latencies).sort();
  return { count: sorted.length, p99: percentile(sorted, 0.99), slowest: sorted.at(-1) ?? 0 };
}

/** One line. */
export function describeProgress({ routes, statuses, samples, retained, findings, honest }: FuzzReport): string {
  const cases = [...routes.values()].reduce((sum, count) => sum + count, 0);
  const byStatus = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  const memory = samples.at(-1)?.processes.map(({ name, rssMb }) => `${name} ${rssMb.toFixed(0)}`) ?? [];
  const inUse = Object.entries(retained.at(-1) ?? {}).map(([name, mb]) => `${name} ${mb.toFixed(1)}`);
  return [
    `${cases} cases on ${routes.size} routes, ${findings.length} findings`,
    `statuses ${byStatus.join(", ")}`,
    `${honest.count} valid webhooks: p99 ${honest.p99.toFixed(0)} ms, slowest ${honest.slowest.toFixed(0)} ms`,
    `resident MiB: ${memory.join(", ")}`,
    `retained MiB: ${inUse.join(", ")}`,
  ].join("; ");
}
