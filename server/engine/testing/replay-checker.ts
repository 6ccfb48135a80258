import * as fc from "fast-check";
import { isDeepStrictEqual } from "node:util";
import type { WorkflowContext } from "../../../sdk/workflow/index.ts";
import type { Json } from "../../contract/json.ts";
import { type Clock } from "../../ports/clock.ts";
import { silentLogger } from "../../ports/logger.ts";
import type { AssignedRun, ProgressWriter } from "../../ports/run-channel.ts";
import type { RunTransition, StepRecord } from "../../ports/store/engine-store.ts";
import { executeRun } from "../execute-run.ts";
import { createCode } from "./engine-harness.ts";

/** The code of a run: a tree of steps and sleeps. Steps of the same name differ in their paths in the tree. */
export type Tree =
  | { kind: "step"; name: string; fails: boolean; retries: number | null }
  | { kind: "sleep"; name: string; ms: number }
  | { kind: "sequence" | "all" | "settled" | "race" | "any"; parts: Tree[] };

/** Trees with few names, so that most of them repeat. */
export const trees: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree; leaf: Tree; node: Tree }>((tie) => ({
  tree: fc.oneof({ depthSize: "small", withCrossShrink: true }, tie("leaf"), tie("node")),
  leaf: fc.oneof(
    fc.record({
      kind: fc.constant("step" as const),
      name: fc.constantFrom("a", "b"),
      fails: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
      retries: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constant(1) }),
    }),
    fc.record({
      kind: fc.constant("sleep" as const),
      name: fc.constantFrom("a nap", "b nap"),
      ms: fc.constantFrom(1, 5, 20, 3_600_000),
    }),
  ),
  node: fc.record({
    kind: fc.constantFrom("sequence" as const, "all" as const, "settled" as const, "race" as const, "any" as const),
    parts: fc.array(tie("tree"), { minLength: 1, maxLength: 4 }),
  }),
})).tree;

/** A store with one run. */
export interface ReplayStore {
  claim(now: number): Promise<AssignedRun>;
  writeProgress: ProgressWriter["writeProgress"];
  /** The worker has ended without a last write. */
  release(now: number): Promise<void>;
}

const maxAttempts = 2;
/** Turns of the event loop in which the engine does everything that it does at once. */
const quietTurns = 8;
const maxExecutions = 60;

interface ReplayFacts {
  seed: number;
  open: (facts: { maxAttempts: number; createdAt: number }) => Promise<ReplayStore>;
}

/**
 * Executes the code with random latencies of steps and of the store, and ends its worker at random moments, until the
 * run has ended. Returns a problem if an execution receives other completions than an earlier one, or in another order.
 * It is also a problem if two steps use one idempotency key, or if a step receives the result of another one. Otherwise
 * `null`.
 */
export async function findReplayProblem(tree: Tree, facts: ReplayFacts): Promise<string | null> {
  try {
    await executeToEnd(tree, facts);
    return null;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

async function executeToEnd(tree: Tree, p: ReplayFacts): Promise<void> {
  const random = createRandom(p.seed);
  const upTo = (max: number) => Math.floor(random() * (max + 1));
  const time = createVirtualTime(Date.UTC(2026, 0, 1));
  const store = await p.open({ maxAttempts, createdAt: time.clock.now() });
  const isSlow = upTo(1) === 1;
  const crashes = upTo(3);
  const keys = new Map<string, string>();
  const paths = new Map<string, string>();
  let longest: string[] = [];

  function useKey(path: string, key: string): void {
    if ((paths.get(key) ?? path) !== path) throw new Error(`The key ${key} is used for ${paths.get(key)} and ${path}.`);
    if ((keys.get(path) ?? key) !== key) throw new Error(`${path} has the keys ${keys.get(path)} and ${key}.`);
    paths.set(key, path);
    keys.set(path, key);
  }

  /** One execution, until it ends or `crashAfter` events have happened. */
  async function execute(crashAfter: number): Promise<{ transition: RunTransition | null; seen: string[] }> {
    const seen: string[] = [];
    const problems: unknown[] = [];
    let isDead = false;
    let transition: RunTransition | null = null;
    let writing: Promise<unknown> = Promise.resolve();
    const runTree = async (node: Tree, path: string, ctx: WorkflowContext): Promise<Json> => {
      if (node.kind === "step") {
        const fn = async ({ idempotencyKey }: { idempotencyKey: string }) => {
          try {
            if (!isDead) useKey(path, idempotencyKey);
          } catch (error) {
            problems.push(error);
          }
          await time.delay(upTo(6));
          if (node.fails) throw new Error(path);
          return path;
        };
        const retries = node.retries === null ? {} : { retries: node.retries, initialDelay: "2ms" as const };
        try {
          const result = await ctx.step(node.name, retries, fn);
          if (!isDead) seen.push(`${path} returned ${result}`);
          if (result !== path) problems.push(new Error(`${path} received the result of ${result}.`));
          return result;
        } catch (error) {
          const message = error instanceof Error ? error.message : String(error);
          if (!isDead && node.fails && message === path) seen.push(`${path} failed`);
          throw error;
        }
      }
      if (node.kind === "sleep") {
        await ctx.sleep(node.name, node.ms);
        if (!isDead) seen.push(`${path} slept`);
        return path;
      }
      const begin = () => node.parts.map((part, at) => runTree(part, `${path}.${at}`, ctx));
      switch (node.kind) {
        case "sequence": {
          const results: Json[] = [];
          for (const [at, part] of node.parts.entries()) results.push(await runTree(part, `${path}.${at}`, ctx));
          return results;
        }
        case "all":
          return await Promise.all(begin());
        case "settled":
          return (await Promise.allSettled(begin())).map(({ status }) => status);
        case "race":
          return await Promise.race(begin());
        case "any":
          return await Promise.any(begin());
      }
    };
    const run = await store.claim(time.clock.now());
    const handle = executeRun(run, {
      code: createCode({
        run: (_, ctx) => runTree(tree, "root", ctx),
        timeoutMs: 1e12,
        retries: { attempts: maxAttempts, initialMs: 1000 },
      }),
      clock: time.clock,
      logger: silentLogger,
      random,
      maxHeldWaitMs: upTo(1) * 5000,
      progress: {
        saveLive: async () => ({ held: true }),
        async writeProgress(progress) {
          await time.delay(isSlow ? upTo(30) : upTo(2));
          if (isDead) return await new Promise<never>(() => {});
          const written = store.writeProgress(progress);
          writing = written;
          const result = await written;
          if (progress.transition) transition = progress.transition;
          await time.delay(isSlow ? upTo(30) : upTo(2));
          return isDead ? await new Promise<never>(() => {}) : result;
        },
      },
    });
    let hasEnded = false;
    void handle.ended.then(() => (hasEnded = true));
    const isActive = () => !hasEnded;
    for (let events = 0; isActive();) {
      for (let turn = 0; turn < quietTurns && isActive(); turn += 1) await nextTurn();
      if (!isActive()) break;
      if (events === crashAfter) {
        isDead = true;
        handle.interrupt({ kind: "lost" });
        break;
      }
      if (time.advance()) events += 1;
    }
    // The host reads the last messages of a worker before it returns its runs.
    await writing;
    if (problems.length > 0) throw problems[0];
    return { transition, seen };
  }

  function compare(seen: readonly string[]): void {
    const common = Math.min(seen.length, longest.length);
    const [recorded, replayed] = [longest.slice(0, common), seen.slice(0, common)];
    if (!isDeepStrictEqual(recorded, replayed))
      throw new Error(`Recorded:\n  ${recorded.join("\n  ")}\nReplayed:\n  ${replayed.join("\n  ")}`);
    if (seen.length > longest.length) longest = [...seen];
  }

  for (let executions = 0; executions < maxExecutions; executions += 1) {
    const { transition, seen } = await execute(executions < crashes ? upTo(25) : Infinity);
    compare(seen);
    if (transition === null) await store.release(time.clock.now());
    else if (transition.to === "waiting") time.moveTo(transition.availableAt);
    else if (transition.to !== "queued") return;
  }
  throw new Error(`The run has not ended after ${maxExecutions} executions.`);
}

/** A store in memory. */
export async function openMemoryStore(facts: { maxAttempts: number; createdAt: number }): Promise<ReplayStore> {
  const steps = new Map<string, StepRecord>();
  const run = { attempt: 1, isResumed: false, token: 0 };
  return {
    claim: async () => {
      run.token += 1;
      return {
        id: "run_1",
        workerId: "wrk_1",
        token: String(run.token),
        leaseUntil: Infinity,
        status: "running",
        trigger: null,
        attachmentId: null,
        target: { kind: "workflow", slug: "work" },
        deliveryId: null,
        failureOf: null,
        key: null,
        childOf: null,
        depth: 0,
        attempt: run.attempt,
        maxAttempts: facts.maxAttempts,
        attemptsBefore: 0,
        isResumed: run.isResumed,
        createdAt: facts.createdAt,
        payload: null,
        input: {},
        steps: structuredClone([...steps.values()]),
        headers: null,
        request: null,
        failure: null,
        parents: [],
      };
    },
    async writeProgress({ steps: written = [], transition, token }) {
      if (token !== String(run.token)) return { held: false, cancelRequested: false };
      for (const step of written) {
        const before = steps.get(step.name);
        if (!before || before.finishedAt === null || before.sequence === null)
          steps.set(step.name, structuredClone(step));
      }
      if (transition) {
        const isRetry = transition.to === "waiting" && transition.reason === "retry";
        run.attempt += isRetry ? 1 : 0;
        run.isResumed = !isRetry;
      }
      return { held: true, cancelRequested: false };
    },
    async release() {
      run.isResumed = true;
    },
  };
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Time that passes only when it is moved. */
function createVirtualTime(startAt: number) {
  let timers: { at: number; fire: () => void }[] = [];
  let now = startAt;
  const after = (ms: number, fire: () => void) => {
    const timer = { at: now + ms, fire };
    timers.push(timer);
    return () => void (timers = timers.filter((other) => other !== timer));
  };
  const clock: Clock = { now: () => now, elapsed: () => now - startAt, after };
  return {
    clock,
    delay: (ms: number) => new Promise<void>((resolve) => void after(ms, resolve)),
    /** Fires the next timer. Returns `false` if there is none. */
    advance(): boolean {
      const [first] = timers.toSorted((a, b) => a.at - b.at);
      if (!first) return false;
      timers = timers.filter((timer) => timer !== first);
      now = Math.max(now, first.at);
      first.fire();
      return true;
    },
    moveTo(at: number): void {
      timers = [];
      now = Math.max(now, at);
    },
  };
}

/** Mulberry32 */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
