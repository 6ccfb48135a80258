import { targetName } from "../../../contract/project/target.ts";
import type { NewRun } from "../../../ports/store/run-store.ts";
import { tokensAtStart } from "../../shared/run-rules.ts";
import { type InsertPart, toInsert } from "../statements/insert-rows.ts";
import { queueOfRun } from "../queue/queue-names.ts";
import type { NewJob, RunJobs } from "../queue/run-jobs.ts";
import { run } from "../schema.ts";
import type { Session } from "../connection/session.ts";
import { type EntryOfRun, toInsertEntries } from "./timeline.ts";

/** New runs with their first entries and their jobs. */
export async function toInsertRuns(
  session: Session,
  runs: readonly NewRun[],
  jobs: RunJobs,
): Promise<(InsertPart | null)[]> {
  const rows = runs.map(toRunRow);
  const newJobs = rows
    .toSorted((a, b) => a.createdAt - b.createdAt)
    .map(({ id, jobQueue, status }): NewJob => ({ runId: id, queue: jobQueue, state: { kind: status } }));
  return [toInsert(run, rows), toInsertEntries(runs.flatMap(firstEntries)), await jobs.prepareAdd(session, newJobs)];
}

function toRunRow({ target: { kind, slug }, assignment, ...newRun }: NewRun) {
  return {
    ...newRun,
    token: assignment?.token ?? null,
    workerId: assignment?.workerId ?? null,
    jobQueue: queueOfRun({ ...newRun, target: { kind, slug } }),
    status: assignment ? ("running" as const) : ("queued" as const),
    attempt: assignment ? 1 : 0,
    startedAt: assignment ? newRun.createdAt : null,
    targetKind: kind,
    targetSlug: slug,
    target: targetName({ kind, slug }),
    tokens: tokensAtStart({ ...newRun, target: { kind, slug } }),
    availableAt: newRun.createdAt,
  };
}

function firstEntries({ id, createdAt: at, assignment }: NewRun): EntryOfRun[] {
  return [
    { runId: id, entry: { at, kind: "queued", attempt: 0 } },
    ...(assignment ? [{ runId: id, entry: { at, kind: "attempt_started", attempt: 1 } } as const] : []),
  ];
}
