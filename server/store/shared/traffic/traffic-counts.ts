import type { Verdict, VerdictOutcome } from "../../../contract/delivery.ts";
import type { NewDelivery } from "../../../ports/store/delivery-store.ts";

/** The part of a delivery that is counted. */
type CountedDelivery = Pick<NewDelivery, "endpoint" | "receivedAt" | "outcome" | "verdicts">;

/** Counts a delivery and the verdicts that it lists. `-1` undoes the count of one whose outcome changes. */
export type CountTraffic = (delivery: CountedDelivery, change?: 1 | -1) => void;

/** The counts of one transaction. */
interface TrafficCounts {
  clear(): void;
  add: CountTraffic;
  /** The number of counts. */
  size(): number;
  /** As one row of the log; see addCounts. */
  toText(): string;
}

export interface TrafficSum extends TrafficKey {
  count: number;
}

/** Callers choose the names of unknown endpoints, so they are truncated. */
const maxEndpoint = 256;
const minuteMs = 60_000;

export function createTrafficCounts(): TrafficCounts {
  let counts = new Map<string, number>();
  const count = (key: TrafficKey, change: number) => {
    const text = writeTrafficKey(key);
    counts.set(text, (counts.get(text) ?? 0) + change);
  };
  return {
    clear: () => void (counts = new Map()),
    add({ endpoint: name, receivedAt, outcome, verdicts }, by = 1) {
      const at = receivedAt - (receivedAt % minuteMs);
      const endpoint = name.slice(0, maxEndpoint);
      count({ at, outcome, attachmentId: "", endpoint }, by);
      for (const verdict of verdicts)
        count({ at, outcome: verdict.outcome, attachmentId: verdict.attachmentId, endpoint }, by);
      for (const { target, outcome: decided, change } of correctionsOf(verdicts))
        count({ at, outcome: decided, attachmentId: anyTriggerOf(target), endpoint }, change * by);
    },
    size: () => counts.size,
    toText: () => JSON.stringify([...counts].filter(([, count]) => count !== 0)),
  };
}

/** Adds the counts of a row of the log to the sums. */
export function addCounts(sums: Map<string, number>, counts: string): void {
  // The store wrote this JSON.
  for (const [key, count] of JSON.parse(counts) as [key: string, count: number][])
    sums.set(key, (sums.get(key) ?? 0) + count);
}

// ---- deliveries by target ----

/** Replaces the trigger in counts over all triggers of a target. */
const anyTrigger = "*";

const anyTriggerOf = (target: string) => `${anyTrigger}:${target}`;
export const isOfAnyTrigger = (attachmentId: string) => attachmentId.startsWith(`${anyTrigger}:`);
export const targetSlugOf = (attachmentId: string) => attachmentId.slice(attachmentId.indexOf(":") + 1);
/** A source without a target has its slug as the id. */
export const hasTarget = (attachmentId: string) => attachmentId.includes(":");
export const isOfTrigger = (attachmentId: string, trigger: string) =>
  attachmentId === trigger || attachmentId.startsWith(`${trigger}:`);

interface Correction {
  target: string;
  outcome: VerdictOutcome;
  change: number;
}

type Tally = ReadonlyMap<VerdictOutcome, number>;

/** A delivery counts for a target by its best verdict. */
const bestFirst = [
  "matched",
  "filter_mismatch",
  "request_mismatch",
  "query_mismatch",
  "headers_mismatch",
  "disabled",
] as const satisfies VerdictOutcome[];

/**
 * The corrections to the verdict counts of a delivery, so that it counts once for each target regardless of its number
 * of triggers. Most deliveries need none: only targets with several triggers on the endpoint do.
 */
function correctionsOf(verdicts: readonly Pick<Verdict, "attachmentId" | "outcome">[]): Correction[] {
  return verdicts.length < 2 ? [] : [...tallyOf(verdicts)].flatMap(([target, tally]) => correct(target, tally));
}

function correct(target: string, tally: Tally): Correction[] {
  const verdicts = [...tally.values()].reduce((sum, count) => sum + count, 0);
  if (verdicts < 2) return [];
  const best = bestFirst.find((outcome) => countOf(tally, outcome) > 0);
  return bestFirst
    .map((outcome) => ({ target, outcome, change: (outcome === best ? 1 : 0) - countOf(tally, outcome) }))
    .filter(({ change }) => change !== 0);
}

/** Verdicts by target and outcome. */
function tallyOf(
  verdicts: readonly Pick<Verdict, "attachmentId" | "outcome">[],
): Map<string, Map<VerdictOutcome, number>> {
  const tallied = new Map<string, Map<VerdictOutcome, number>>();
  for (const verdict of verdicts) {
    if (!hasTarget(verdict.attachmentId)) continue;
    const target = targetSlugOf(verdict.attachmentId);
    const tally = tallied.get(target) ?? new Map<VerdictOutcome, number>();
    tallied.set(target, tally.set(verdict.outcome, countOf(tally, verdict.outcome) + 1));
  }
  return tallied;
}

function countOf(tally: Tally | undefined, outcome: VerdictOutcome): number {
  return tally?.get(outcome) ?? 0;
}

export function byEndpoint(sums: ReadonlyMap<string, number>): Map<string, TrafficSum[]> {
  return Map.groupBy(
    [...sums].map(([key, count]): TrafficSum => ({ ...readTrafficKey(key), count })),
    ({ endpoint }) => endpoint,
  );
}

/**
 * The key of a count: deliveries on an endpoint (`attachmentId: ""`) or the verdicts of an attachment on it, in one
 * minute, by outcome.
 */
export interface TrafficKey {
  /** The start of the minute, UTC milliseconds. */
  at: number;
  outcome: string;
  attachmentId: string;
  endpoint: string;
}

/** As text. The endpoint is last, because callers choose the names of unknown endpoints. The other parts have no spaces. */
export function writeTrafficKey({ at, outcome, attachmentId, endpoint }: TrafficKey): string {
  return `${at} ${outcome} ${attachmentId} ${endpoint}`;
}

export function readTrafficKey(text: string): TrafficKey {
  const [at = "", outcome = "", attachmentId = ""] = text.split(" ", 3);
  return {
    at: Number(at),
    outcome,
    attachmentId,
    endpoint: text.slice(at.length + outcome.length + attachmentId.length + 3),
  };
}
