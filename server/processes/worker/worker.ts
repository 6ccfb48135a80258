import { type Settings, readLogLevel, readSettings, stateDirOf } from "../../config.ts";
import { readProcessStart } from "../child-environment.ts";
import { newId } from "../../domain/ids.ts";
import { limitsOf } from "../../domain/runs/run-limits.ts";
import { latestTargetsOf } from "../../domain/runs/run-builds.ts";
import { currentScope, type RunEnding } from "../../engine/execute-run.ts";
import { installProcessGuards } from "../../engine/process-guards.ts";
import { createRunSlots, createWorkerLoop, type WorkerLoop } from "../../engine/worker-loop.ts";
import { toRunError } from "../../engine/run-errors.ts";
import { createLogger } from "../../logging.ts";
import { setClockAhead, systemClock } from "../../ports/clock.ts";
import type { AssignedRun } from "../../ports/run-channel.ts";
import { loadBuilds } from "../../project/load-code.ts";
import { listKeptVersions, readManifest } from "../../project/read-manifest.ts";
import { createWorkerChannel } from "../../run-channel/worker-channel.ts";
import { openTracing } from "../../tracing/open-tracing.ts";
import type { RunTrace, Tracing } from "../../ports/tracing.ts";
import { collectStartUp } from "../collect-start-up.ts";
import { connectLocally } from "../local-sockets.ts";
import { once } from "../../domain/event-loop.ts";
import type { SupervisorToWorker, WorkerToSupervisor } from "../protocol.ts";
import { watchEventLoop } from "../event-loop/watch-event-loop.ts";
import { createWorkerHeartbeat } from "./worker-heartbeat.ts";

/**
 * A worker process: executes the project's code. It has no store: it reports progress to the process that has one.
 * If that code crashes, blocks or exhausts the memory, only this process ends.
 */
const start = readProcessStart();
const workerId = start.workerId ?? newId("wrk");
const pool = start.pool ?? "shared";
const logger = createLogger({ mode: start.mode, level: readLogLevel(start.mode), process: "worker" });
const heartbeatMs = 500;
const orphanGraceMs = 1_000;
/** Short runs are claimed ahead: at most this many for each slot. */
const claimAhead = 12;
/** Shorter than `killAfterDrainMs` of the pool: the supervisor kills workers that still run at that time. */
const maxSendSpansMs = 1_000;

let loop: WorkerLoop | null = null;
let tracing: Tracing | null = null;
let isExiting = false;
const heartbeat = createWorkerHeartbeat({ loop: () => loop, send: report });

/** The watcher thread needs 18 MB: it is started with the first run. */
const startWatcher = once(() => watchEventLoop({ currentRunId: () => currentScope()?.run.runId ?? null }));

const guards = installProcessGuards({
  logger,
  countRuns: () => loop?.countRuns() ?? 0,
  onRetire: (reason) => void retire(reason),
  onCrash: (error) => {
    const { name, message, stack } = toRunError(error, (text) => text);
    logger.error("unhandled error outside of a run, stopping the worker", { error: stack ?? message });
    report({ type: "failed", message: `ended because of an unhandled error: ${name}: ${message}` }, () =>
      guards.exit(1),
    );
  },
});

// These can reach the whole process group: the supervisor decides what happens, and when.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
process.on("disconnect", () => void exitAfter(() => loop?.shutDown(orphanGraceMs)));
process.on("message", handleMessage);
// The supervisor may have ended while this process was loading.
if (!process.connected) guards.exit(0);

try {
  await serve();
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}

function fail(message: string): void {
  report({ type: "failed", message }, () => guards.exit(1));
}

async function serve(): Promise<void> {
  const { runs: address } = start;
  if (!address) throw new Error("This worker was started without the address of its server.");
  const { settings, manifest } = await readProject();
  // Tracing is opened before the project's code, which may look for it while it loads.
  tracing = await openTracing({ settings: settings.tracing, process: "worker", logger });
  const codeOf = loadBuilds({ stateDir: settings.stateDir, current: manifest, logger });
  const kept = await listKeptVersions(settings.stateDir);
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
        keptVersions: kept.filter((other) => other !== version),
        latestTargets: latestTargetsOf(manifest, start.mode),
        limits: limitsOf(manifest),
        needsHeaders: tracing !== null,
        readsRequest: manifest.triggers.flatMap(({ readsRequest, attachmentId }) =>
          readsRequest ? [attachmentId] : [],
        ),
      },
      logger,
      onClock: setClockAhead,
      onRejected: fail,
    }),
    codeOf,
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
    onAssigned() {
      startWatcher();
      heartbeat.changed();
    },
    onRunStarted: (run) => heartbeat.runStarted({ target: run.target, latencyMs: systemClock.now() - run.createdAt }),
    onRunEnded(run, ending) {
      reportRun(run, ending);
      heartbeat.changed();
    },
    onRetire: (reason) => void retire(reason),
  });
  await loop.start();
  report({ type: "ready", workerId });
  collectStartUp();
  setInterval(heartbeat.beat, heartbeatMs);
  heartbeat.beat();
}

/** The span of a run is below its delivery's, or has no parent if the delivery cannot be read. */
function traceRuns(
  spans: Tracing,
  version: string,
): (run: AssignedRun, hide: (text: string) => string) => Promise<RunTrace> {
  return async (run, hide) =>
    spans.beginRun({ run, version: run.build?.version ?? version, headers: run.headers, hide });
}

async function readProject(): Promise<{
  settings: Settings;
  manifest: NonNullable<Awaited<ReturnType<typeof readManifest>>>;
}> {
  const stateDir = stateDirOf(start.projectDir);
  const manifest = await readManifest(stateDir);
  if (!manifest) throw new Error(`There is no build in ${stateDir}. Run \`signalbox build\`.`);
  // The secret of OIDC is in the environment, of which workers have only a part. They do not sign users in.
  const { oidc: _, ...fromProject } = manifest.settings;
  return { settings: readSettings({ ...start, fromProject }), manifest };
}

function handleMessage(message: SupervisorToWorker): void {
  switch (message.type) {
    case "drain":
      return void exitAfter(() => loop?.drain());
    case "shutdown":
      return void exitAfter(() => loop?.shutDown(message.drainMs));
  }
}

async function retire(reason: string): Promise<void> {
  report({ type: "retiring", reason });
  await exitAfter(() => loop?.drain());
}

/** Waits for `finish`, which ends the active runs, then exits. A second, more urgent request overtakes the first. */
async function exitAfter(finish: () => Promise<void> | undefined): Promise<void> {
  await finish();
  if (isExiting) return;
  isExiting = true;
  try {
    loop?.close();
    await tracing?.close(maxSendSpansMs);
  } catch (error) {
    logger.warn("could not close the worker", { error });
  }
  guards.exit(0);
}

function reportRun(run: AssignedRun, ending: RunEnding): void {
  if (ending.status === null) return;
  const { status, durationMs, error } = ending;
  const { id: runId, trigger, deliveryId, target, attempt } = run;
  heartbeat.runEnded({
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

function report(message: WorkerToSupervisor, then?: () => void): void {
  if (process.connected && process.send) process.send(message, undefined, undefined, () => then?.());
  else then?.();
}
