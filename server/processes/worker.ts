import { type Settings, readLogLevel, readProcessStart, readSettings, stateDirOf } from "../config.ts";
import type { Manifest } from "../contract/project/manifest.ts";
import type { TargetKind } from "../contract/project/target.ts";
import { newId } from "../domain/ids.ts";
import type { RunEnding } from "../engine/execute-run.ts";
import { installProcessGuards } from "../engine/process-guards.ts";
import { createRunSlots } from "../engine/run-slots.ts";
import { toRunError } from "../engine/run-errors.ts";
import { type WorkerLoop, createWorkerLoop } from "../engine/worker-loop.ts";
import { createLogger } from "../logging.ts";
import { setClockAhead, systemClock } from "../ports/clock.ts";
import type { AssignedRun } from "../ports/run-channel.ts";
import { loadCode } from "../project/load-code.ts";
import { readManifest } from "../project/read-manifest.ts";
import { createWorkerChannel } from "../run-channel/worker-channel.ts";
import { openTracing } from "../tracing/open-tracing.ts";
import type { RunTrace, Tracing } from "../ports/tracing.ts";
import { collectStartUp } from "./collect-start-up.ts";
import { connectLocally } from "./local-sockets.ts";
import { once } from "./once.ts";
import type { SupervisorToWorker, WorkerToSupervisor } from "./protocol.ts";
import { watchEventLoop } from "./watch-event-loop.ts";
import { createWorkerPulse } from "./worker-pulse.ts";

/**
 * A worker process: executes the project's code. It has no store: it reports what runs do to the process that has one.
 * If that code crashes, blocks or exhausts the memory, only this process ends.
 */
const start = readProcessStart();
const workerId = start.workerId ?? newId("wrk");
const pool = start.pool ?? "shared";
const logger = createLogger({ mode: start.mode, level: readLogLevel(start.mode), process: "worker" });
const heartbeatMs = 500;
const orphanGraceMs = 1_000;
/** Runs that take a moment only are claimed ahead: so many for each place. */
const claimAhead = 3;
/** The supervisor waits for two seconds more than runs may take. */
const sendSpansWithinMs = 1_000;

let loop: WorkerLoop | null = null;
let tracing: Tracing | null = null;
let isLeaving = false;
const pulse = createWorkerPulse({ active: () => loop?.active() ?? [], tell });

/** The watching thread costs 18 MB: it comes with the first run. */
const watchOnce = once(() => watchEventLoop());

const guards = installProcessGuards({
  logger,
  countActive: () => loop?.active().length ?? 0,
  onRetire: (reason) => void retire(reason),
  onCrash: (error) => {
    const { name, message, stack } = toRunError(error, (text) => text);
    logger.error("unhandled error outside of a run, stopping the worker", { error: stack ?? message });
    tell({ type: "failed", message: `ended because of an unhandled error: ${name}: ${message}` }, () => guards.exit(1));
  },
});

// Ctrl-C reaches the whole process group: the supervisor decides what happens, and when.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => void leave(() => loop?.shutDown(orphanGraceMs)));
process.on("disconnect", () => void leave(() => loop?.shutDown(orphanGraceMs)));
process.on("message", obey);
// It may have gone while this process was loading.
if (!process.connected) guards.exit(0);

try {
  await serve();
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}

function fail(message: string): void {
  tell({ type: "failed", message }, () => guards.exit(1));
}

async function serve(): Promise<void> {
  const { runs: address } = start;
  if (!address) throw new Error("This worker was started without the address of its server.");
  const { settings, manifest } = await readProject();
  // Before the project's code, which may look for it as it loads.
  tracing = await openTracing({ settings: settings.tracing, process: "worker", logger });
  const code = await loadCode(settings.stateDir, manifest);
  const capacity = pool === "isolated" ? 1 : settings.workerConcurrency;
  const { version } = manifest;
  loop = createWorkerLoop({
    channel: createWorkerChannel({
      connect: () => connectLocally(address.socket),
      secret: address.secret,
      worker: {
        id: workerId,
        pid: process.pid,
        startedAt: systemClock.now(),
        pool,
        version,
        concurrency: concurrencyOf(manifest),
        needsHeaders: tracing !== null,
      },
      logger,
      onClock: setClockAhead,
      onRejected: fail,
    }),
    code,
    capacity,
    slots: createRunSlots({
      slots: capacity,
      maxAhead: pool === "isolated" ? 0 : claimAhead * capacity,
      now: () => performance.now(),
    }),
    clock: systemClock,
    logger,
    random: Math.random,
    traceRun: tracing ? traceRuns(tracing, version) : undefined,
    onActiveChanged() {
      watchOnce();
      pulse.changed();
    },
    onRunStarted: (run) => pulse.runStarted({ target: run.target, latencyMs: systemClock.now() - run.createdAt }),
    onRunEnded: reportRun,
    onRetire: (reason) => void retire(reason),
  });
  await loop.start();
  tell({ type: "ready", workerId });
  collectStartUp();
  setInterval(pulse.beat, heartbeatMs);
  pulse.beat();
}

/** A run below its delivery, or by itself where the delivery cannot be read. */
function traceRuns(spans: Tracing, version: string): (run: AssignedRun) => Promise<RunTrace> {
  return async (run) => spans.beginRun({ run, version, headers: run.headers });
}

function concurrencyOf({ workflows, agents }: Manifest): [target: string, limit: number][] {
  return [...boundsOf("workflow", workflows), ...boundsOf("agent", agents)];
}

function boundsOf(kind: TargetKind, targets: Manifest["workflows"]): [string, number][] {
  return targets.flatMap(({ slug, concurrency }): [string, number][] =>
    concurrency === null ? [] : [[`${kind}:${slug}`, concurrency]],
  );
}

async function readProject(): Promise<{
  settings: Settings;
  manifest: NonNullable<Awaited<ReturnType<typeof readManifest>>>;
}> {
  const stateDir = stateDirOf(start.projectDir);
  const manifest = await readManifest(stateDir);
  if (!manifest) throw new Error(`There is no build in ${stateDir}. Run \`signalbox build\`.`);
  // Its secret is in the environment, which workers do not have whole; they sign nobody in.
  const { oidc: _, ...fromProject } = manifest.settings;
  return { settings: readSettings({ ...start, fromProject }), manifest };
}

function obey(message: SupervisorToWorker): void {
  switch (message.type) {
    case "drain":
      return void leave(() => loop?.drain());
    case "shutdown":
      return void leave(() => loop?.shutDown(message.graceMs));
  }
}

async function retire(reason: string): Promise<void> {
  tell({ type: "retiring", reason });
  await leave(() => loop?.drain());
}

/** Lets what runs come to its end in the given way, then goes. A second, more urgent request overtakes the first. */
async function leave(finish: () => Promise<void> | undefined): Promise<void> {
  await finish();
  if (isLeaving) return;
  isLeaving = true;
  try {
    loop?.leave();
    await tracing?.close(sendSpansWithinMs);
  } catch (error) {
    logger.warn("could not close the worker", { error });
  }
  guards.exit(0);
}

function reportRun(run: AssignedRun, ending: RunEnding): void {
  if (ending.status === null) return;
  const { status, durationMs, error } = ending;
  const { id: runId, trigger, deliveryId, target, attempt } = run;
  pulse.runEnded({
    runId,
    status,
    trigger,
    deliveryId,
    target,
    attempt,
    durationMs,
    error: error && `${error.name}: ${error.message}`,
  });
}

function tell(message: WorkerToSupervisor, then?: () => void): void {
  if (process.connected && process.send) process.send(message, undefined, undefined, () => then?.());
  else then?.();
}
