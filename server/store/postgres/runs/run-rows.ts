import { targetName } from "../../../contract/project/target.ts";
import { noSlot, notDueAt, type RunSlot } from "../../../domain/runs/key-slots.ts";
import type { NewRun } from "../../../ports/store/new-run.ts";
import { tokensAtStart } from "../../shared/run-rules.ts";
import { type InsertPart, toInsert } from "../statements/insert-rows.ts";
import { run } from "../schema.ts";
import type { Session } from "../connection/session.ts";
import { type EntryOfRun, toInsertEntries } from "./timeline.ts";

/** New runs with their first entries. `slots`: those of their keys. Default: they need none. */
export function toInsertRuns(
  session: Session,
  runs: readonly NewRun[],
  slots: readonly RunSlot[] = [],
): (InsertPart | null)[] {
  if (runs.some(({ assignment }) => !assignment)) session.concernsHosts = true;
  const rows = runs.map((newRun, at) => ({ ...toRunRow(newRun), ...toSlotRow(newRun, slots[at]) }));
  return [toInsert(run, rows), toInsertEntries(runs.flatMap(firstEntries))];
}

const toSlotRow = ({ createdAt }: NewRun, { keySlot, keyOrder }: RunSlot = noSlot) => ({
  keySlot,
  keyOrder,
  availableAt: keySlot === "waiting" ? notDueAt : createdAt,
});

/** Whether the target of the run has its own queue. */
export const isLimited = ({ concurrency }: Pick<NewRun, "concurrency">): boolean =>
  typeof concurrency?.limit === "number";

function toRunRow({ target: { kind, slug }, assignment, key, child, ...newRun }: NewRun) {
  return {
    ...newRun,
    childOf: child?.of ?? null,
    childStep: child?.step ?? null,
    childLink: child?.link ?? null,
    depth: child?.depth ?? 0,
    token: assignment?.token ?? null,
    workerId: assignment?.workerId ?? null,
    leaseUntil: assignment?.leaseUntil ?? null,
    isLimited: isLimited(newRun),
    status: assignment ? ("running" as const) : ("queued" as const),
    attempt: assignment ? 1 : 0,
    startedAt: assignment ? newRun.createdAt : null,
    targetKind: kind,
    targetSlug: slug,
    target: targetName({ kind, slug }),
    runKey: key ?? null,
    tokens: tokensAtStart({ ...newRun, target: { kind, slug } }),
  };
}

function firstEntries({ id, createdAt: at, assignment }: NewRun): EntryOfRun[] {
  return [
    { runId: id, entry: { at, kind: "queued", attempt: 0 } },
    ...(assignment ? [{ runId: id, entry: { at, kind: "attempt_started", attempt: 1 } } as const] : []),
  ];
}
