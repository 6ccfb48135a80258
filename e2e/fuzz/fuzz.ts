import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { findGrowth } from "../../bench/soak/find-growth.ts";
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
/** Before that, the growth of a heap says nothing. */
const minGrowthMinutes = 10;

/** Sends cases to a service and watches it. */
export async function fuzz(target: Target, options: FuzzOptions): Promise<FuzzReport> {
  const { seed, routes, print, stallMs = 2_000 } = options;
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
        { kind: "bystander", detail: `A valid webhook took more than ${stallMs} ms: ${tookMs.toFixed(0)} ms.` },
        suspects(tookMs),
      );
  });
  const timers = [
    setInterval(watch, watchEveryMs),
    setInterval(sample, sampleEveryMs),
    setInterval(() => print(describeProgress({ ...report, honest: summarize(latencies) })), printEveryMs),
  ];

  const numbers = options.cases[Symbol.iterator]();
  await Promise.all(Array.from({ length: concurrency }, () => sendCases()));
  // What the last cases caused is logged by then.
  await new Promise((resolve) => setTimeout(resolve, 2 * watchEveryMs));
  for (const timer of timers) clearInterval(timer);
  watch();
  sample();
  await honest.terminate();
  for (const { what, early, late, isGrowth } of findGrowth(report.samples))
    if (isGrowth && performance.now() - began > minGrowthMinutes * 60_000)
      add({ kind: "memory", detail: `${what} grew from ${early.toFixed(0)} to ${late.toFixed(0)}.` }, []);
  return { ...report, honest: summarize(latencies) };

  async function sendCases(): Promise<void> {
    for (;;) {
      if (performance.now() - began > options.maxMs) return;
      const next = numbers.next();
      if (next.done) return;
      const one = makeCase(plan, next.value);
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
export function describeProgress({ routes, statuses, samples, findings, honest }: FuzzReport): string {
  const cases = [...routes.values()].reduce((sum, count) => sum + count, 0);
  const byStatus = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  const memory = samples.at(-1)?.processes.map(({ name, rssMb }) => `${name} ${rssMb.toFixed(0)}`) ?? [];
  return [
    `${cases} cases on ${routes.size} routes, ${findings.length} findings`,
    `statuses ${byStatus.join(", ")}`,
    `${honest.count} valid webhooks: p99 ${honest.p99.toFixed(0)} ms, slowest ${honest.slowest.toFixed(0)} ms`,
    `MiB: ${memory.join(", ")}`,
  ].join("; ");
}
