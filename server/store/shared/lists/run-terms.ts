import { type Column, eq, gte, isNotNull, not, type SQL } from "drizzle-orm";
import type { RunStatus } from "../../../contract/run.ts";
import type { RunFilter } from "../../../ports/store/run-store.ts";
import type { RunSummaryRow } from "../run-shapes.ts";
import { type TermTable, toTerms } from "./filter-terms.ts";
import type { Term } from "./read-list.ts";

/** The fields with names, which can be numbers, as in SQLite's rows. */
type NamedField = "delivery" | "keyId" | "trigger" | "target" | "version";

export type NumberedFilter<Filter extends RunFilter> = Omit<Filter, NamedField> &
  Partial<Record<NamedField, string | number | undefined>>;

interface Source {
  run: Readonly<Record<Exclude<keyof RunSummaryRow, "replayedAs"> | "keyId", Column>>;
  /** The payload or the input contains the text. */
  hasText: (text: string) => SQL;
  /** Default: a comparison. */
  hasStatus?: (status: RunStatus) => SQL;
  hasOpenApproval: SQL;
  /** The condition of the index `run_failed`. */
  hasFailed: SQL;
  hasReplay: SQL;
  /** The condition of the index `run_waiting_for_slot`. */
  waitsForKey: SQL;
  /** The run has an open wait for an event of the source. */
  hasOpenWait: (source: string) => SQL;
}

/** The terms of each field of a run filter, most selective first. */
const table: TermTable<NumberedFilter<RunFilter>, Required<Source>> = {
  delivery: (id, { run }) => [{ condition: eq(run.deliveryId, id), index: "run_by_delivery" }],
  replayOf: (id, { run }) => [{ condition: eq(run.replayOf, id), index: "run_by_replay" }],
  failureOf: (id, { run }) => [{ condition: eq(run.failureOf, id), index: "run_by_failure" }],
  childOf: (id, { run }) => [{ condition: eq(run.childOf, id), index: "run_by_parent" }],
  keyId: (id, { run }) => [{ condition: eq(run.keyId, id), index: "run_by_key" }],
  key: (key, { run }) => [{ condition: eq(run.runKey, key), index: "run_by_run_key" }],
  waitsForKey: (_, { waitsForKey }) => [{ condition: waitsForKey, index: "run_waiting_for_slot" }],
  needsApproval: (_, { hasStatus, hasOpenApproval }) => [
    { condition: hasStatus("waiting"), index: "run_by_status" },
    { condition: hasOpenApproval },
  ],
  waitsForEvent: (source, { hasStatus, hasOpenWait }) => [
    { condition: hasStatus("waiting"), index: "run_by_status" },
    { condition: hasOpenWait(source) },
  ],
  unresolved: (_, { hasFailed, hasReplay }) => [
    { condition: hasFailed, index: "run_failed" },
    { condition: not(hasReplay) },
  ],
  status: (status, { hasStatus }) => [{ condition: hasStatus(status), index: "run_by_status" }],
  trigger: (slug, { run }) => [{ condition: eq(run.trigger, slug), index: "run_by_trigger" }],
  target: (slug, { run }) => [{ condition: eq(run.targetSlug, slug), index: "run_by_target" }],
  minTokens: (tokens, { run }) => [bySpend(run.tokens), { condition: gte(run.tokens, tokens) }],
  minCostUsd: (usd, { run }) => [bySpend(run.tokens), { condition: gte(run.costUsd, usd) }],
  version: (id, { run }) => [{ condition: eq(run.version, id) }],
  targetKind: (kind, { run }) => [{ condition: eq(run.targetKind, kind) }],
  text: (text, { hasText }) => [{ condition: hasText(text), isSlow: true }],
};

const bySpend = (tokens: Column): Term => ({ condition: isNotNull(tokens), index: "run_by_spend" });
/** One index contains the usage of runs: it provides the candidates, and the terms of these indexes are evaluated on it. */
const onSpend = ["run_by_status", "run_failed", "run_by_trigger", "run_by_target"];

export function runTerms(filter: NumberedFilter<RunFilter>, source: Source): Term[] {
  const hasStatus = source.hasStatus ?? ((status: RunStatus) => eq(source.run.status, status));
  const terms = toTerms(table, filter, { ...source, hasStatus });
  const [spend, ...repeated] = terms.filter(({ index }) => index === "run_by_spend");
  if (!spend) return terms;
  return terms
    .filter((term) => !repeated.includes(term))
    .map(({ index, ...term }) => (index === undefined || onSpend.includes(index) ? term : { ...term, index }));
}
