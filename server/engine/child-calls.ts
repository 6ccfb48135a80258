import { setImmediate as nextTurn } from "node:timers/promises";
import { ChildRunError } from "../../sdk/errors.ts";
import type { Json } from "../contract/json.ts";
import { type Target, targetName } from "../contract/project/target.ts";
import { maxDepth, readChildResult } from "../domain/runs/child-runs.ts";
import { newId } from "../domain/ids.ts";
import { runLimitsOf } from "../domain/runs/run-limits.ts";
import type { StepRecord } from "../ports/store/engine-store.ts";
import type { NewRun } from "../ports/store/new-run.ts";
import { type ChildRequest, readChildInput, readChildRequest } from "./child-request.ts";
import { FinalFailure } from "./run-errors.ts";
import { cloneJson } from "./run-values.ts";
import type { ExecutionOptions } from "./steps/step-tries.ts";
import { type ContextRules, never, type OpenChildCall } from "./steps/suspension.ts";

type Options = Pick<ExecutionOptions, "run" | "session" | "clock" | "code" | "hide">;

interface ChildValues {
  target: Target;
  input: Json;
  output: Json | null;
}

/** The run, or one of its parents. */
interface RunAbove {
  target: Target;
  key: string | null;
}

interface BegunCall {
  record: StepRecord;
  child: NewRun;
}

/** The store writes each of them in one transaction, and senders wait for that. */
const maxStartsPerWrite = 100;

/** `ctx.call` and `ctx.start`. A child run is recorded in the transaction that stores its step. */
export function createChildCalls({ run, session, clock, code, hide }: Options, rules: ContextRules) {
  const { attempt } = run;
  const openCalls: OpenChildCall[] = [];
  /** What the code knows of all children, for masking. */
  const values: ChildValues[] = [];
  let revision = 0;
  /** The calls that wait to be stored. */
  const unstored = new Set<string>();
  let begun: { calls: BegunCall[]; written: Promise<void> } | null = null;

  /** Calls that are made together are written together. Resolves when they are stored. */
  function writeInBatch(call: BegunCall): Promise<void> {
    begun ??= { calls: [], written: rules.whileInFlight(writeBegun) };
    begun.calls.push(call);
    return begun.written;
  }

  async function startCalled(call: string, begins: BegunCall): Promise<StepRecord> {
    unstored.add(call);
    await writeInBatch(begins);
    unstored.delete(call);
    return begins.record;
  }

  async function writeBegun(): Promise<void> {
    await nextTurn();
    const calls = begun?.calls ?? [];
    begun = null;
    for (let from = 0; from < calls.length; from += maxStartsPerWrite) {
      const batch = calls.slice(from, from + maxStartsPerWrite);
      await session.write({
        steps: batch.map(({ record }) => record),
        entries: batch.map(({ record, child }) => startedEntry(record, child)),
        children: batch.map(({ child }) => child),
      });
    }
  }

  function startedEntry({ name, until, startedAt }: StepRecord, { id, target, child }: NewRun) {
    const data = { runId: id, target: { ...target }, isAwaited: child?.link !== "start" };
    return { at: startedAt, kind: "child_started" as const, attempt, name, ...(until !== null && { until }), data };
  }

  function beginChild(call: string, key: string, request: ChildRequest, given: unknown): BegunCall {
    requireDepth(call);
    if (request.link !== "start") requireSlot(call, request, [run, ...run.parents]);
    const { target, built, key: runKey, timeoutMs, link } = request;
    if (runKey !== null && hide(runKey) !== runKey)
      throw new FinalFailure(
        "SensitiveKey",
        `${call}: key contains a sensitive value of this run. Keys are shown, so use another value, such as an id.`,
      );
    const input = readChildInput(call, request, given);
    const startedAt = clock.now();
    const id = newId("run", startedAt);
    const child: NewRun = {
      id,
      trigger: null,
      attachmentId: null,
      target,
      deliveryId: null,
      startedBy: "parent",
      replayOf: null,
      version: code.manifest.version,
      maxAttempts: built.retries.attempts,
      ...runLimitsOf(built),
      // It belongs to a run that was accepted.
      maxQueued: null,
      createdAt: startedAt,
      payload: null,
      input,
      keyId: null,
      key: runKey,
      child: { of: run.id, step: key, link, depth: run.depth + 1 },
    };
    const until = timeoutMs === null ? null : startedAt + timeoutMs;
    const times = { attempt, startedAt, finishedAt: null, until };
    return { child, record: { name: key, kind: "child", ...times, result: { runId: id }, sequence: null } };
  }

  /** Masking reads strings and numbers only. An input that is no JSON starts no run. */
  function noteValues({ target }: ChildRequest, input: unknown): ChildValues {
    const ofChild = { target, input: input as Json, output: null };
    values.push(ofChild);
    revision += 1;
    return ofChild;
  }

  function requireDepth(call: string): void {
    if (run.depth < maxDepth) return;
    throw new FinalFailure(
      "ChildTooDeep",
      `${call}: this run is a child at depth ${maxDepth}, which is the maximum. Check the workflows for a cycle of calls without an end, or use a loop instead of calls that call each other.`,
    );
  }

  return {
    openCalls,
    /** Called when the code has returned: a call that it has not awaited starts no run. */
    warnUnawaited(): void {
      const entry = { at: clock.now(), kind: "log", attempt, level: "warn" } as const;
      const entries = [...unstored].map((call) => ({
        ...entry,
        message: `${call} was not awaited, so the run was not started. Write \`await\` before it.`,
      }));
      if (entries.length > 0) session.note({ entries });
    },
    children: { values, revision: () => revision },
    async call(name: string, target: unknown, input: unknown, options: unknown = {}): Promise<Json> {
      if (!rules.isOpen()) return await never();
      const call = `ctx.call(${JSON.stringify(name)}, …)`;
      const request = readChildRequest(call, { target, options, kind: "call" }, code.manifest);
      const ofChild = noteValues(request, input);
      const { key, known, open } = rules.begin(call, name, "child");
      if (!known || known.finishedAt === null) {
        openCalls.push({ record: known ?? (await startCalled(call, beginChild(call, key, request, input))) });
        rules.considerSuspending();
        return await never();
      }
      await rules.completeStored(open, known, known.finishedAt);
      const { runId, status = "timed_out", output = null, error = null } = readChildResult(known.result);
      ofChild.output = output;
      revision += 1;
      if (status === "completed") return cloneJson(output);
      throw new ChildRunError({ target: request.target.slug, runId, status, error });
    },
    async start(name: string, target: unknown, input: unknown, options: unknown = {}): Promise<{ id: string }> {
      if (!rules.isOpen()) return await never();
      const call = `ctx.start(${JSON.stringify(name)}, …)`;
      const request = readChildRequest(call, { target, options, kind: "start" }, code.manifest);
      noteValues(request, input);
      const { key, known, open } = rules.begin(call, name, "child");
      if (known && known.finishedAt !== null) {
        await rules.completeStored(open, known, known.finishedAt);
        return { id: readChildResult(known.result).runId };
      }
      const { record, child } = beginChild(call, key, request, input);
      unstored.add(call);
      await rules.completeElapsed(open, {
        record: { ...record, finishedAt: record.startedAt },
        at: record.startedAt,
        entries: [startedEntry(record, child)],
        children: [child],
        isRepeatable: false,
      });
      unstored.delete(call);
      return { id: child.id };
    },
  };
}

/**
 * With `whileWaiting: "hold"`, runs that wait for the child keep the slots that it needs: it would never start.
 * `above`: the run and its parents.
 */
function requireSlot(call: string, { target, built, key }: ChildRequest, above: readonly RunAbove[]): void {
  const { limit = null, perKey = null, whileWaiting } = built.concurrency ?? {};
  if (whileWaiting !== "hold") return;
  const sameTarget = above.filter((one) => targetName(one.target) === targetName(target));
  const isFull = limit !== null && sameTarget.length >= limit;
  const isKeyFull = perKey !== null && key !== null && sameTarget.filter((one) => one.key === key).length >= perKey;
  if (!isFull && !isKeyFull) return;
  const slots = isFull ? "of its target" : `of the key ${JSON.stringify(key)}`;
  throw new FinalFailure(
    "ChildWaitsForParent",
    `${call}: the child run would never start, because runs above it have all slots ${slots} and keep them while they wait. Set concurrency.whileWaiting of ${target.kind} ${target.slug} to "release", or call it with another key.`,
  );
}
