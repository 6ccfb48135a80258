import { AppError } from "../contract/app-error.ts";
import type { Json } from "../contract/json.ts";
import type { Page } from "../contract/list.ts";
import type { RunStep } from "../contract/run.ts";
import { describeChildResult } from "../domain/runs/child-runs.ts";
import { readEventResult } from "../domain/runs/event-waits.ts";
import type { RunStore } from "../ports/store/run-store.ts";
import { findRun } from "./read-runs.ts";

type StepsDeps = { store: Pick<RunStore, "getRun" | "listSteps"> };
type StoredStep = Awaited<ReturnType<RunStore["listSteps"]>>[number];

/** Rows that are read together: a result can have 16 MB. */
const batchRows = 10;

/** A page ends with the result that exceeds this. */
const maxPageBytes = 4_000_000;

/**
 * The steps of a run with their results, in the order of their starts. A page ends early if its results are large.
 * Throws AppError `not_found`.
 */
export async function listSteps(
  deps: StepsDeps,
  request: { runId: string; name?: string | undefined; after: number; limit: number },
): Promise<Page<RunStep>> {
  const { runId, name, limit } = request;
  await findRun(deps, { id: runId });
  const data: RunStep[] = [];
  let bytes = 0;
  for (let after = request.after; ;) {
    const batch = await deps.store.listSteps(runId, { name, after, limit: batchRows });
    for (const step of batch) {
      if (data.length === limit || bytes > maxPageBytes) return { data, nextCursor: String(after) };
      const described = describeStep(step);
      data.push(described);
      bytes += described.resultBytes ?? 0;
      after = step.position;
    }
    if (batch.length < batchRows) return { data, nextCursor: null };
  }
}

/**
 * One step of a run, by its name in the timeline. A result of more than `maxBytes` is `null`; `resultBytes` says how
 * large it is. Throws AppError `not_found`.
 */
export async function getStep(
  deps: StepsDeps,
  { runId, name, maxBytes }: { runId: string; name: string; maxBytes: number },
): Promise<RunStep> {
  await findRun(deps, { id: runId });
  const [found] = await deps.store.listSteps(runId, { name, after: 0, limit: 1 });
  if (!found) throw new AppError("not_found", `Run ${runId} has no step ${JSON.stringify(name)}.`);
  return withoutLongResult(describeStep(found), maxBytes);
}

export function withoutLongResult(step: RunStep, maxBytes: number): RunStep {
  return (step.resultBytes ?? 0) > maxBytes ? { ...step, result: null } : step;
}

/** Until a step has completed, its stored result is that of its failed tries. */
function describeStep(stored: StoredStep): RunStep {
  const { name, kind, attempt, startedAt, finishedAt, until } = stored;
  const result = describeResult(stored);
  const hasResult = finishedAt !== null && kind !== "sleep" && !(kind === "event" && result === null);
  return {
    name,
    kind,
    attempt,
    startedAt: isoOf(startedAt),
    finishedAt: finishedAt === null ? null : isoOf(finishedAt),
    until: until === null ? null : isoOf(until),
    result: hasResult || kind === "approval" || kind === "child" ? result : null,
    resultBytes: hasResult ? Buffer.byteLength(JSON.stringify(result)) : null,
  };
}

function describeResult({ kind, result, finishedAt }: StoredStep): Json | null {
  if (kind === "event") return describeEvent(result);
  if (kind !== "child") return result;
  const described = describeChildResult(result);
  return finishedAt === null ? { ...described, status: null } : described;
}

/** The event of a wait; `null`: the wait has not ended, or has timed out. */
export function describeEvent(stored: Json | null): Json | null {
  const event = readEventResult(stored);
  if (!event) return null;
  const { branch, source, deliveryId, payload } = event;
  return { ...(branch !== "" && { name: branch }), source, deliveryId, payload };
}

function isoOf(at: number): string {
  return new Date(at).toISOString();
}
