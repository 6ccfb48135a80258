import type { Json } from "../../contract/json.ts";
import type { Run, RunStatus, RunSummary, StartedBy } from "../../contract/run.ts";
import type { TargetKind } from "../../contract/project/target.ts";
import { toIso, toIsoOrNull } from "./iso-time.ts";

export interface RunSummaryRow {
  id: string;
  status: RunStatus;
  trigger: string | null;
  attachmentId: string | null;
  targetKind: TargetKind;
  targetSlug: string;
  deliveryId: string | null;
  startedBy: StartedBy;
  replayOf: string | null;
  failureOf: string | null;
  childOf: string | null;
  runKey: string | null;
  replayedAs: string | null;
  version: string;
  attempt: number;
  maxAttempts: number;
  tokens: number | null;
  costUsd: number | null;
  createdAt: number;
  resumedAt: number | null;
  startedAt: number | null;
  finishedAt: number | null;
  errorName: string | null;
  errorMessage: string | null;
}

/** The columns of a list that both databases have in the same form. */
export const runSummaryNames = [
  "id",
  "status",
  "trigger",
  "attachmentId",
  "targetKind",
  "targetSlug",
  "startedBy",
  "replayOf",
  "failureOf",
  "childOf",
  "runKey",
  "version",
  "attempt",
  "maxAttempts",
  "tokens",
  "costUsd",
  "createdAt",
  "resumedAt",
  "startedAt",
  "finishedAt",
  "errorName",
  "errorMessage",
] as const satisfies (keyof RunSummaryRow)[];

export interface RunRow extends RunSummaryRow {
  errorStack: string | null;
  keyId: string | null;
  payload: Json | null;
  input: Json | null;
  output: Json | null;
}

export function toRunSummary(row: RunSummaryRow): RunSummary {
  return {
    id: row.id,
    status: row.status,
    trigger: row.trigger,
    attachmentId: row.attachmentId,
    target: { kind: row.targetKind, slug: row.targetSlug },
    deliveryId: row.deliveryId,
    startedBy: row.startedBy,
    replayOf: row.replayOf,
    failureOf: row.failureOf,
    childOf: row.childOf,
    replayedAs: row.replayedAs,
    key: row.runKey,
    version: row.version,
    attempt: row.attempt,
    maxAttempts: row.maxAttempts,
    tokens: row.tokens,
    costUsd: row.costUsd,
    error: row.errorName === null ? null : { name: row.errorName, message: row.errorMessage ?? "" },
    createdAt: toIso(row.createdAt),
    resumedAt: toIsoOrNull(row.resumedAt),
    startedAt: toIsoOrNull(row.startedAt),
    finishedAt: toIsoOrNull(row.finishedAt),
  };
}

export function toRun(row: RunRow): Run & { keyId: string | null } {
  const summary = toRunSummary(row);
  return {
    ...summary,
    error: summary.error && { ...summary.error, stack: row.errorStack },
    payload: row.payload,
    input: row.input,
    output: row.output,
    keyId: row.keyId,
  };
}
