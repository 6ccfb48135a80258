import type { ModelLike } from "../sdk/definition.ts";
import type { Target } from "../server/contract/project/target.ts";
import { limitsOf } from "../server/domain/runs/run-limits.ts";
import { trackWork } from "../server/domain/event-loop.ts";
import { executeRun, type RunHandle } from "../server/engine/execute-run.ts";
import { parseValue } from "../server/engine/run-values.ts";
import { createWaitSearch } from "../server/deliveries/search-waits.ts";
import { silentLogger } from "../server/ports/logger.ts";
import type { AnySchema, ProjectCode } from "../server/ports/project.ts";
import type { AssignedRun, ProgressWriter } from "../server/ports/run-channel.ts";
import { describeWait } from "../server/shared/runs/describe-wait.ts";
import type { Store } from "../server/ports/store.ts";
import type { ClaimedRun, StepRecord } from "../server/ports/store/engine-store.ts";
import { toModel } from "../server/project/load-code.ts";
import { loadDetails } from "../server/run-channel/host/run-details.ts";
import { formatAssign } from "../server/run-channel/messages.ts";
import type { LoadedBuild } from "./project-build.ts";
import { createStepProbe, type StepFunction, type StepProbe } from "./step-probe.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { formatInterval } from "../server/shared/format.ts";
import { listUnsettled } from "./unsettled-runs.ts";

const workerId = "wrk_test";
/** No other worker takes a run, however far the clock moves. */
const leaseMs = 100 * 365 * 24 * 3_600_000;
const maxConcurrent = 100;

export interface Executor {
  /**
   * Executes due runs, and moves the clock to the next one. It ends when these runs and their child runs have ended, or
   * wait for an approval or an event; `null`: when all have. Returns the ids of the executed runs. Throws an Error if
   * that takes longer than `timeoutMs` of real time.
   */
  settle(wanted: readonly string[] | null, timeoutMs: number): Promise<string[]>;
  /** Loads the code of targets before their runs begin: a slow import takes no part of the time limit. */
  load(targets: readonly Target[]): Promise<void>;
  /** Executes the runs that become due until this time. */
  moveTo(time: number, timeoutMs: number): Promise<void>;
  /** Applies to all executions of the run. */
  setProbe(runId: string, probe: StepProbe): void;
  /** Adds steps that have completed before the run begins. */
  storeSteps(runId: string, steps: readonly StepRecord[]): void;
  storedSteps(runId: string): readonly StepRecord[];
  /** Aborts the runs that are executing. Resolves when nothing of them is written any more. */
  close(): Promise<void>;
}

/** Executes runs as a worker does, in this process and with a virtual clock. */
export function createExecutor(options: {
  store: Store;
  build: LoadedBuild;
  clock: VirtualClock;
  models: Readonly<Record<string, ModelLike>>;
}): Executor {
  const { store, build, clock, models } = options;
  const { manifest, sources } = build;
  const project = { current: () => sources };
  const waitSearch = createWaitSearch({ store, project, clock, logger: silentLogger });
  const code = withModels(build.code, models);
  const probes = new Map<string, StepProbe>();
  /** Of child runs whose parent has one. */
  const inherited = new Map<string, { from: StepProbe; probe: StepProbe }>();
  /** The steps of their parents, by the ids of child runs. */
  const childSteps = new Map<string, string>();
  const storedSteps = new Map<string, readonly StepRecord[]>();
  const active = new Set<RunHandle>();
  const executing = trackWork();
  const limits = new Map(limitsOf(manifest));
  let applying: Promise<void> | null = null;
  const readsRequest = new Set(
    manifest.triggers.flatMap(({ readsRequest, attachmentId }) => (readsRequest ? [attachmentId] : [])),
  );

  /** Executes all due runs at the same time. Returns their ids. */
  async function executeDue(): Promise<string[]> {
    await (applying ??= store.applyLimits({ limits, now: clock.now() }));
    const claimed = await store.claimRuns({
      slots: Array.from({ length: maxConcurrent }, () => workerId),
      now: clock.now(),
      leaseMs,
      limits,
      pool: "shared",
      version: manifest.version,
    });
    await Promise.all(claimed.map((run) => execute(run).finally(executing.begin())));
    // Deliveries that were received before their runs waited for them.
    if (claimed.length > 0) await waitSearch.searchRest();
    while (await store.settleRuns({ now: clock.now(), limit: maxConcurrent }));
    return claimed.map(({ id }) => id);
  }

  const progress: ProgressWriter = {
    saveLive: store.saveLive,
    writeProgress(write) {
      for (const { id, child } of write.children ?? []) if (child) childSteps.set(id, child.step);
      return store.writeProgress(write);
    },
  };

  async function execute(claimed: ClaimedRun): Promise<void> {
    const run = await toAssigned(claimed);
    const probe = probeOf(run);
    probe.begin(run);
    const replaced = replaceRun(run);
    const handle = executeRun(replaced?.run ?? run, {
      progress: probe.wrapProgress(progress, () => handle.interrupt({ kind: "lost" })),
      code: replaced?.code ?? probe.wrapCode(code),
      clock,
      logger: silentLogger,
      random: () => 0.5,
      maxHeldWaitMs: 0,
    });
    active.add(handle);
    const { status } = await handle.ended;
    active.delete(handle);
    if (status === null) await release(run.id);
    probe.end();
  }

  /** That of the test, or that of its parent. */
  function probeOf({ id, childOf, target }: Pick<AssignedRun, "id" | "childOf" | "target">): StepProbe {
    const name = `${target.kind} ${target.slug}`;
    const from = findProbe(childOf);
    const known = probes.get(id) ?? (inherited.get(id)?.from === from ? inherited.get(id)?.probe : undefined);
    if (known) return known;
    const probe = from?.createChild(name) ?? createStepProbe({}, name);
    if (from) inherited.set(id, { from, probe });
    else probes.set(id, probe);
    return probe;
  }

  const findProbe = (id: string | null) => (id === null ? undefined : (probes.get(id) ?? inherited.get(id)?.probe));

  /** A child run whose code the test of its parent has replaced, with that code. */
  function replaceRun(run: AssignedRun): { run: AssignedRun; code: ProjectCode } | null {
    const step = childSteps.get(run.id);
    const replacement = step === undefined ? null : (findProbe(run.childOf)?.replaceChild(step) ?? null);
    return replacement && replaceCode(run, code, replacement);
  }

  /** As the worker receives it. */
  async function toAssigned(claimed: ClaimedRun): Promise<AssignedRun> {
    const details = await loadDetails(store, claimed, { identity: { needsHeaders: false }, readsRequest });
    const { run } = JSON.parse(formatAssign(claimed, details)) as { run: AssignedRun };
    const known = new Set(run.steps.map(({ name }) => name));
    const stored = (storedSteps.get(run.id) ?? []).filter(({ name }) => !known.has(name));
    return { ...run, steps: [...run.steps, ...stored] };
  }

  /** The run continues with the same attempt. */
  function release(id: string): Promise<void> {
    return store.releaseLostRuns({
      workerId,
      now: clock.now(),
      message: "The test ended the worker.",
      runs: [{ id, fate: { kind: "resume" } }],
    });
  }

  async function settle(wanted: readonly string[] | null, signal: AbortSignal): Promise<string[]> {
    const executed = new Set<string>();
    for (;;) {
      signal.throwIfAborted();
      const ids = await executeDue();
      for (const id of ids) executed.add(id);
      if (ids.length > 0) continue;
      const unsettled = await listUnsettled({ store, limits, now: clock.now(), wanted });
      if (unsettled.length === 0) return [...executed];
      const next = await store.nextAvailableAt("shared", clock.now());
      if (next === null)
        throw new Error(`The run is open, but no wait of it ends at a known time.${await describeWaits(unsettled)}`);
      clock.moveTo(next);
    }
  }

  async function describeWaits(ids: readonly string[]): Promise<string> {
    const [[id, { waitsFor }] = ["", {}]] = await store.findWaits({ ids, limits, now: clock.now() });
    const run = await store.getRun(id);
    return run && waitsFor ? ` It waits: ${describeWait(waitsFor, run)}.` : "";
  }

  async function moveTo(time: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      if ((await executeDue()).length > 0) continue;
      const next = await store.nextAvailableAt("shared", clock.now());
      if (next !== null && next <= time) clock.moveTo(next);
      else if (clock.now() < time) clock.moveTo(time);
      else return;
    }
  }

  /** Aborts the runs that are executing when the time is over. */
  async function within<T>(timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const abort = new AbortController();
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      abort.abort();
      late.reject(describeLate(timeoutMs));
      interruptAll();
    }, timeoutMs);
    try {
      return await Promise.race([work(abort.signal), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  function describeLate(timeoutMs: number): Error {
    const [handle] = active;
    const limit = `within ${formatInterval(timeoutMs)} of real time`;
    const fix = "Replace slow steps with mockStep, or set `timeout` of testProject.";
    if (!handle) return new Error(`The runs did not end ${limit}: they sleep or fail again and again. ${fix}`);
    const { id, target } = handle.run;
    const steps = (probes.get(id)?.inFlight() ?? []).map((name) => JSON.stringify(name));
    const where = steps.length > 0 ? `It is in step ${steps.join(", ")}.` : "None of its steps is executing.";
    return new Error(`The run of ${target.slug} did not end ${limit}. ${where} ${fix}`);
  }

  function interruptAll(): void {
    for (const handle of active) handle.interrupt({ kind: "lost" });
  }

  return {
    settle: (wanted, timeoutMs) => within(timeoutMs, (signal) => settle(wanted, signal)),
    async load(targets) {
      // An exception in the code fails the run.
      await Promise.allSettled(targets.map(({ kind, slug }) => code[kind](slug)));
    },
    moveTo: (time, timeoutMs) => within(timeoutMs, (signal) => moveTo(time, signal)),
    setProbe: (runId, probe) => void probes.set(runId, probe),
    storeSteps: (runId, steps) => void storedSteps.set(runId, steps),
    storedSteps: (runId) => storedSteps.get(runId) ?? [],
    async close() {
      interruptAll();
      await executing.settled();
    },
  };
}

/** The parent has checked it. */
const anyInput: AnySchema = { safeParse: (data) => ({ success: true, data }) };

/**
 * A run with other code, whose result is its output, if that matches the schema. A run of an agent becomes one of a
 * workflow.
 */
function replaceCode(run: AssignedRun, code: ProjectCode, replacement: StepFunction) {
  const { kind, slug } = run.target;
  const { agents, workflows } = code.manifest;
  async function execute(input: unknown): Promise<unknown> {
    const value = await replacement(input as never);
    const schema = (await code[kind](slug))?.output;
    const what = `The output of the mock of ${kind} ${slug} does not match the output schema of the ${kind}`;
    return schema ? parseValue({ schema, value, name: "InvalidOutput", what }) : value;
  }
  return {
    run: { ...run, target: { kind: "workflow" as const, slug } },
    code: {
      ...code,
      manifest: kind === "agent" ? { ...code.manifest, workflows: [...agents, ...workflows] } : code.manifest,
      async workflow() {
        const input = kind === "workflow" ? (await code.workflow(slug))?.input : undefined;
        return { slug, input: input ?? anyInput, output: null, run: execute };
      },
    },
  };
}

function withModels(code: ProjectCode, models: Readonly<Record<string, ModelLike>>): ProjectCode {
  for (const slug of Object.keys(models))
    if (!code.manifest.agents.some((agent) => agent.slug === slug))
      throw new Error(
        `models: the project has no agent ${slug}. Its agents: ${code.manifest.agents.map((agent) => agent.slug).join(", ") || "none"}.`,
      );
  return {
    ...code,
    async agent(slug) {
      const agent = await code.agent(slug);
      const model = models[slug];
      return agent && model ? { ...agent, model: toModel(model) } : agent;
    },
  };
}
