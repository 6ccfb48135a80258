import { type Column, eq, gte, isNotNull, not, type SQL } from "drizzle-orm";
import type { RunStatus } from "../../../contract/run.ts";
import type { RunFilter } from "../../../ports/store/run-store.ts";
import type { Term } from "./read-list.ts";

type FilteredColumn =
  | "deliveryId"
  | "replayOf"
  | "failureOf"
  | "keyId"
  | "status"
  | "trigger"
  | "targetSlug"
  | "version"
  | "targetKind"
  | "tokens"
  | "costUsd";

type NamedField = "delivery" | "keyId" | "trigger" | "target" | "version";

/** Names can be numbers, as in SQLite's rows. */
export type NumberedFilter<Filter extends RunFilter> = Omit<Filter, NamedField> &
  Partial<Record<NamedField, string | number | undefined>>;

/**
 * The terms of a run filter. `hasText` searches the payload and the input. `hasFailed` is the condition of the index
 * `run_failed`. `hasStatus`: default a comparison.
 */
export function runTerms(
  run: Readonly<Record<FilteredColumn, Column>>,
  filter: NumberedFilter<RunFilter>,
  p: {
    hasText: (text: string) => SQL;
    hasStatus?: (status: RunStatus) => SQL;
    hasOpenApproval: SQL;
    hasFailed: SQL;
    hasReplay: SQL;
  },
): Term[] {
  const {
    delivery,
    replayOf,
    failureOf,
    keyId,
    trigger,
    target,
    targetKind,
    status,
    version,
    text,
    minTokens,
    minCostUsd,
    needsApproval,
    unresolved,
  } = filter;
  const hasStatus = p.hasStatus ?? ((wanted: RunStatus) => eq(run.status, wanted));
  // One index contains the usage of runs: it provides the candidates, and the other terms are evaluated on it.
  const filtersBySpend = minTokens !== undefined || minCostUsd !== undefined;
  const unlessSpend = (index: string) => (filtersBySpend ? {} : { index });
  const terms: (Term | undefined)[] = [
    delivery === undefined ? undefined : { condition: eq(run.deliveryId, delivery), index: "run_by_delivery" },
    replayOf === undefined ? undefined : { condition: eq(run.replayOf, replayOf), index: "run_by_replay" },
    failureOf === undefined ? undefined : { condition: eq(run.failureOf, failureOf), index: "run_by_failure" },
    keyId === undefined ? undefined : { condition: eq(run.keyId, keyId), index: "run_by_key" },
    needsApproval ? { condition: hasStatus("waiting"), ...unlessSpend("run_by_status") } : undefined,
    unresolved ? { condition: p.hasFailed, ...unlessSpend("run_failed") } : undefined,
    status === undefined ? undefined : { condition: hasStatus(status), ...unlessSpend("run_by_status") },
    trigger === undefined ? undefined : { condition: eq(run.trigger, trigger), ...unlessSpend("run_by_trigger") },
    target === undefined ? undefined : { condition: eq(run.targetSlug, target), ...unlessSpend("run_by_target") },
    filtersBySpend ? { condition: isNotNull(run.tokens), index: "run_by_spend" } : undefined,
    minTokens === undefined ? undefined : { condition: gte(run.tokens, minTokens) },
    minCostUsd === undefined ? undefined : { condition: gte(run.costUsd, minCostUsd) },
    version === undefined ? undefined : { condition: eq(run.version, version) },
    targetKind === undefined ? undefined : { condition: eq(run.targetKind, targetKind) },
    needsApproval ? { condition: p.hasOpenApproval } : undefined,
    unresolved ? { condition: not(p.hasReplay) } : undefined,
    text === undefined ? undefined : { condition: p.hasText(text), isSlow: true },
  ];
  return terms.filter((term) => term !== undefined);
}
