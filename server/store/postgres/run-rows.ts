import type { NewRun } from "../../ports/store/run-store.ts";
import { tokensAtStart } from "../shared/run-rules.ts";
import { queueOfRun } from "./queue/queue-names.ts";
import type { NewJob } from "./queue/run-jobs.ts";
import type { EntryOfRun } from "./timeline.ts";

/** The row of a new run. */
export function toRunRow({ target: { kind, slug }, assignment, ...newRun }: NewRun) {
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
    target: `${kind}:${slug}`,
    tokens: tokensAtStart({ ...newRun, target: { kind, slug } }),
    availableAt: newRun.createdAt,
  };
}

/** The job of a new run. */
export function jobOf({ id, jobQueue, status }: ReturnType<typeof toRunRow>): NewJob {
  return { runId: id, queue: jobQueue, state: { kind: status } };
}

/** The timeline of a new run. */
export function firstEntries({ id, createdAt: at, assignment }: NewRun): EntryOfRun[] {
  return [
    { runId: id, entry: { at, kind: "queued", attempt: 0 } },
    ...(assignment ? [{ runId: id, entry: { at, kind: "attempt_started", attempt: 1 } } as const] : []),
  ];
}
