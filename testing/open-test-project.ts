import { resolve } from "node:path";
import { checkNames } from "../sdk/check-shape.ts";
import { parseDuration } from "../sdk/duration.ts";
import { fixtureKind } from "../sdk/test-project/fixture.ts";
import type {
  RunOptions,
  SettleOptions,
  TestDelivery,
  TestProject,
  TestProjectOptions,
  TestRun,
  TestRunOptions,
} from "../sdk/test-project/index.ts";
import { readSettings } from "../server/config.ts";
import { AppError } from "../server/contract/app-error.ts";
import { type Json, jsonSchema } from "../server/contract/json.ts";
import type { Target } from "../server/contract/project/target.ts";
import { didYouMean } from "../sdk/did-you-mean.ts";
import type { InputChecks } from "../server/ports/input-checks.ts";
import { noSignals } from "../server/ports/signals.ts";
import { evaluateInput } from "../server/project/evaluate-input.ts";
import { startTargetRun } from "../server/runs/start-run.ts";
import { openMemoryStore } from "../server/store/sqlite/open-store.ts";
import { startTriggerRuns } from "../server/triggers/start-trigger-runs.ts";
import { createExecutor } from "./execute-runs.ts";
import { loadBuild } from "./project-build.ts";
import { readRun } from "./read-run.ts";
import { createDeliver } from "./send-request.ts";
import { createStepProbe, requireReached, requireStored, toStoredSteps } from "./step-probe.ts";
import { createVirtualClock } from "./virtual-clock.ts";

export async function openTestProject(options: TestProjectOptions): Promise<TestProject> {
  checkNames(options, "testProject", ["projectDir", "now", "models", "timeout"]);
  const projectDir = resolve(options.projectDir ?? ".");
  const timeoutMs = readDuration(options.timeout ?? "4s", "testProject: timeout");
  const clock = createVirtualClock(readTime(options.now));
  const build = await loadBuild(projectDir);
  const { manifest, sources } = build;
  // Settings of the service, such as its store, are not those of tests.
  const settings = readSettings({ projectDir, mode: "deployed", fromProject: manifest.settings, env: {} });
  const store = openMemoryStore({ clock });
  const executor = createExecutor({ store, build, clock, models: options.models ?? {} });
  const deliver = createDeliver({ settings, sources, store, clock });
  const inputs: InputChecks = { check: (question) => evaluateInput(build.code, question) };
  const deps = { store, project: { current: () => sources }, inputs, signals: noSignals, clock };

  const read = (id: string) => readRun(store, id, executor.storedSteps(id));

  async function settleRuns(runs: readonly { id: string; target: Target }[], probing: RunOptions): Promise<void> {
    const probes = isProbed(probing)
      ? runs.map(({ id, target }) => {
          const probe = createStepProbe(probing, `${target.kind} ${target.slug}`);
          executor.setProbe(id, probe);
          return probe;
        })
      : [];
    await executor.load(runs.map(({ target }) => target));
    await executor.settle(
      runs.map(({ id }) => id),
      timeoutMs,
    );
    requireReached(probes, probing);
  }

  function settle(): Promise<TestRun[]>;
  function settle(started: TestDelivery | TestRun, given?: SettleOptions): Promise<TestRun>;
  async function settle(started?: TestDelivery | TestRun, given: SettleOptions = {}): Promise<TestRun | TestRun[]> {
    if (started === undefined) {
      const ids = await executor.settle(null, timeoutMs);
      const runs = await Promise.all(ids.map(read));
      return runs.sort((a, b) => (`${a.createdAt} ${a.id}` < `${b.createdAt} ${b.id}` ? -1 : 1));
    }
    checkNames(given, "settle", [...runOptions, "trigger"]);
    const { trigger, ...probing } = given;
    const runs = "runs" in started ? await listRunsOf(started) : [started];
    const chosen = "runs" in started ? chooseRun(started, trigger) : started;
    await settleRuns(runs, probing);
    return await read(chosen.id);
  }

  /** The runs that a delivery has started, and those that it woke. */
  async function listRunsOf({ runs, woke }: TestDelivery): Promise<{ id: string; target: Target }[]> {
    return [...runs, ...(await store.findRuns(woke.map(({ id }) => id)))];
  }

  async function fire(trigger: string, given: unknown, probing: RunOptions = {}): Promise<TestRun> {
    checkNames(probing, "fire", runOptions);
    const body = toJsonBody(given);
    const { runs, verdicts } = await startTriggerRuns(deps, { slug: trigger, body, startedBy: "api" }).catch(explain);
    const [first] = runs;
    if (!first) {
      const reasons = verdicts.flatMap((verdict) => verdict.reasons.map(toLine));
      throw new Error(`The trigger ${trigger} does not match the body.\n${reasons.join("\n")}`);
    }
    await settleRuns(
      runs.map(({ runId: id, target }) => ({ id, target })),
      probing,
    );
    return await read(first.runId);
  }

  async function testRun(slug: string, given: unknown, options: TestRunOptions = {}): Promise<TestRun> {
    checkNames(options, "testRun", [...runOptions, "stored"]);
    const { stored, ...probing } = options;
    const target = findTarget(slug);
    const input = target.kind === "agent" && typeof given === "string" ? { prompt: given } : given;
    const { runs } = await startTargetRun(deps, { target, input: toJsonBody(input), startedBy: "api" }).catch(explain);
    const id = runs[0]?.runId ?? "";
    executor.storeSteps(id, toStoredSteps(stored, clock.now()));
    await settleRuns([{ id, target }], probing);
    const run = await read(id);
    if (run.status === "completed") requireStored(stored, run);
    return run;
  }

  function findTarget(slug: string): Target {
    if (manifest.workflows.some((workflow) => workflow.slug === slug)) return { kind: "workflow", slug };
    if (manifest.agents.some((agent) => agent.slug === slug)) return { kind: "agent", slug };
    const known = [...manifest.workflows, ...manifest.agents].map((target) => target.slug);
    throw new Error(`The project has no workflow and no agent ${slug}.${didYouMean(slug, known)}`);
  }

  async function decide(run: TestRun, isApproved: boolean, reason: string | null): Promise<void> {
    const pending = (await store.loadSteps(run.id)).filter(
      ({ kind, finishedAt }) => kind === "approval" && finishedAt === null,
    );
    if (pending.length === 0) throw new Error(`Run ${run.id} does not wait for an approval.`);
    const decision = { isApproved, reason, by: "test" };
    for (const { name } of pending) await store.decideApproval({ runId: run.id, name, decision, now: clock.now() });
  }

  return {
    deliver,
    settle,
    fire,
    testRun,
    approve: (run) => decide(run, true, null),
    deny: (run, reason) => decide(run, false, reason ?? null),
    clock: {
      now: () => new Date(clock.now()),
      advance: (duration) => executor.moveTo(clock.now() + readDuration(duration, "clock.advance"), timeoutMs),
    },
    async close() {
      await executor.close();
      await store.close();
    },
  };
}

const runOptions = ["mockStep", "failAt", "crashAfter", "replayEveryStep"] as const;

function isProbed(options: RunOptions): boolean {
  return Object.values(options).some((option) => option !== undefined && option !== false);
}

function chooseRun({ runs, woke, outcome, endpoint }: TestDelivery, trigger: string | undefined): { id: string } {
  if (runs.length === 0 && trigger === undefined && woke[0]) return chooseWoken(woke, endpoint);
  const chosen = trigger === undefined ? runs : runs.filter((run) => run.trigger === trigger);
  const [first] = chosen;
  const started = runs.map((run) => run.trigger).join(", ");
  if (!first)
    throw new Error(
      runs.length === 0
        ? `The delivery to ${endpoint} was ${outcome}, and has started no run.`
        : `The delivery to ${endpoint} has started no run of ${trigger}, but of ${started}.`,
    );
  if (chosen.length > 1)
    throw new Error(
      `The delivery to ${endpoint} has started several runs (${started}). Select one: settle(delivery, { trigger: ${JSON.stringify(first.trigger)} }).`,
    );
  return first;
}

function chooseWoken([first, ...others]: TestDelivery["woke"], endpoint: string): { id: string } {
  if (first && others.length === 0) return first;
  throw new Error(
    `The delivery to ${endpoint} woke ${others.length + 1} runs. Settle each of them, or call settle() and select one.`,
  );
}

function toJsonBody(given: unknown): Json {
  const body =
    typeof given === "object" && given !== null && fixtureKind in given && "body" in given ? given.body : given;
  const text = JSON.stringify(body);
  return text === undefined ? null : jsonSchema.parse(JSON.parse(text));
}

/** With the errors of the body, by their paths. */
function explain(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  throw new Error([error.message, ...error.errors.map(toLine)].join("\n"), { cause: error });
}

function toLine({ pointer, message }: { pointer: string; message: string }): string {
  return `  ${pointer === "" ? "(the whole value)" : pointer}: ${message}`;
}

function readTime(now: Date | string | undefined): number {
  if (now === undefined) return Date.now();
  const time = new Date(now).getTime();
  if (Number.isNaN(time))
    throw new TypeError(`testProject: now must be a Date or an ISO 8601 string, but is ${String(now)}.`);
  return time;
}

function readDuration(duration: unknown, what: string): number {
  const ms = parseDuration(duration);
  if (ms !== null) return ms;
  throw new TypeError(
    `${what} must be a number of milliseconds or a string such as "10s", "5m", "1.5h" or "7d", but is ${JSON.stringify(duration)}.`,
  );
}
