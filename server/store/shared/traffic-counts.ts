import { z } from "zod";
import type { Verdict, VerdictOutcome } from "../../contract/delivery.ts";
import { type CommonVerdicts, isFolded, ownVerdicts } from "../../domain/deliveries/verdict-list.ts";
import type { NewDelivery } from "../../ports/store/delivery-store.ts";
import { readTrafficKey, setOutcome, type TrafficKey, writeTrafficKey } from "./traffic-key.ts";

/**
 * Counts a delivery and its verdicts. Those that it has in common with others are counted together: as the set that has
 * them.
 */
export type CountTraffic = (delivery: NewDelivery, verdictSet: number | null) => void;

/** What one transaction counts. */
export interface TrafficCounts {
  clear(): void;
  add: CountTraffic;
  /** How many counts there are. */
  size(): number;
  /** As one row of the log; see addCounts. */
  toText(): string;
}

export interface TrafficSum extends TrafficKey {
  count: number;
}

/** Unknown endpoints have the names that callers gave them. */
const maxEndpoint = 256;
const minuteMs = 60_000;

export function createTrafficCounts(): TrafficCounts {
  const counts = new Map<string, number>();
  const count = (key: TrafficKey, change: number) => {
    const text = writeTrafficKey(key);
    counts.set(text, (counts.get(text) ?? 0) + change);
  };
  return {
    clear: () => counts.clear(),
    add({ endpoint: name, receivedAt, outcome, verdicts }, verdictSet) {
      const at = receivedAt - (receivedAt % minuteMs);
      const endpoint = name.slice(0, maxEndpoint);
      const countVerdict = (verdict: Pick<Verdict, "attachmentId" | "outcome">, change: number) =>
        count({ at, outcome: verdict.outcome, attachmentId: verdict.attachmentId, endpoint }, change);
      count({ at, outcome, attachmentId: "", endpoint }, 1);
      for (const verdict of ownVerdicts(verdicts)) countVerdict(verdict, 1);
      for (const { target, outcome: decided, change } of correctionsOf(verdicts))
        count({ at, outcome: decided, attachmentId: anyTriggerOf(target), endpoint }, change);
      if (verdictSet === null || !isFolded(verdicts)) return;
      count({ at, outcome: setOutcome, attachmentId: String(verdictSet), endpoint }, 1);
      // The set is counted as a whole, with what the delivery has of its own instead.
      for (const place of verdicts.places) {
        const replaced = verdicts.common[place];
        if (replaced) countVerdict(replaced, -1);
      }
    },
    size: () => counts.size,
    toText: () => JSON.stringify([...counts].filter(([, count]) => count !== 0)),
  };
}

const countsSchema = z.array(z.tuple([z.string(), z.int()]));

/** Adds the counts of a row of the log to the sums. */
export function addCounts(sums: Map<string, number>, counts: string): void {
  for (const [key, count] of countsSchema.parse(JSON.parse(counts))) sums.set(key, (sums.get(key) ?? 0) + count);
}

/** The sets that sums refer to. */
export function setsOf(sums: ReadonlyMap<string, number>): number[] {
  return [...sums.keys()]
    .map(readTrafficKey)
    .flatMap(({ outcome, attachmentId }) => (outcome === setOutcome ? [Number(attachmentId)] : []));
}

/**
 * The same sums, by what they count: sets as the verdicts that they have. No attachment has a count below zero then:
 * each row of the log has those of verdicts in place of which deliveries have their own together with the set.
 * Corrections (`anyTriggerOf`) may be below zero.
 */
export function expandSets(
  sums: ReadonlyMap<string, number>,
  readSet: (set: number) => CommonVerdicts,
): Map<string, number> {
  const expanded = new Map<string, number>();
  const add = (key: string, count: number) => expanded.set(key, (expanded.get(key) ?? 0) + count);
  for (const [key, count] of sums) {
    const { at, outcome, attachmentId, endpoint } = readTrafficKey(key);
    if (outcome !== setOutcome) {
      add(key, count);
      continue;
    }
    const common = readSet(Number(attachmentId));
    for (const verdict of common)
      if (verdict)
        add(writeTrafficKey({ at, outcome: verdict.outcome, attachmentId: verdict.attachmentId, endpoint }), count);
    for (const { target, outcome: decided, change } of correctionsOfSet(common))
      add(writeTrafficKey({ at, outcome: decided, attachmentId: anyTriggerOf(target), endpoint }), change * count);
  }
  for (const [key, count] of expanded) if (count === 0) expanded.delete(key);
  return expanded;
}

// ---- deliveries by target ----

/** Stands in the place of a trigger: the count is about all triggers of a target together. */
const anyTrigger = "*";

const anyTriggerOf = (target: string) => `${anyTrigger}:${target}`;
export const isOfAnyTrigger = (attachmentId: string) => attachmentId.startsWith(`${anyTrigger}:`);
export const targetSlugOf = (attachmentId: string) => attachmentId.slice(attachmentId.indexOf(":") + 1);

interface Correction {
  target: string;
  outcome: VerdictOutcome;
  change: number;
}

type Tally = ReadonlyMap<VerdictOutcome, number>;

/** A delivery counts for a target by the verdict that came furthest. */
const furthestFirst = [
  "matched",
  "filter_mismatch",
  "request_mismatch",
  "disabled",
] as const satisfies VerdictOutcome[];

/**
 * What has to be added to the verdicts of a delivery so that it counts once for each target, however many triggers lead
 * there. Most deliveries need none: only targets with several triggers on the endpoint. For a folded list it is what
 * the delivery adds to the corrections of the set.
 */
function correctionsOf(verdicts: NewDelivery["verdicts"]): Correction[] {
  if (!isFolded(verdicts))
    return verdicts.length < 2 ? [] : [...tallyOf(verdicts)].flatMap(([target, tally]) => correct(target, tally));
  const { common, own, places } = verdicts;
  const ofSet = tallyOfSet(common);
  const ofOwn = tallyOf(own);
  const ofReplaced = tallyOf(places.map((place) => common[place] ?? null));
  return [...new Set([...ofOwn.keys(), ...ofReplaced.keys()])].flatMap((target) => {
    const before = ofSet.get(target) ?? new Map();
    const after = new Map(
      furthestFirst.map((outcome) => [
        outcome,
        countOf(before, outcome) - countOf(ofReplaced.get(target), outcome) + countOf(ofOwn.get(target), outcome),
      ]),
    );
    return [...correct(target, after), ...correct(target, before).map((one) => ({ ...one, change: -one.change }))];
  });
}

function correctionsOfSet(common: CommonVerdicts): Correction[] {
  return [...tallyOfSet(common)].flatMap(([target, tally]) => correct(target, tally));
}

function correct(target: string, tally: Tally): Correction[] {
  const verdicts = [...tally.values()].reduce((sum, count) => sum + count, 0);
  if (verdicts < 2) return [];
  const furthest = furthestFirst.find((outcome) => countOf(tally, outcome) > 0);
  return furthestFirst
    .map((outcome) => ({ target, outcome, change: (outcome === furthest ? 1 : 0) - countOf(tally, outcome) }))
    .filter(({ change }) => change !== 0);
}

const tallies = new WeakMap<CommonVerdicts, ReadonlyMap<string, Tally>>();

/** Sets have thousands of verdicts, and are the same object mostly. */
function tallyOfSet(common: CommonVerdicts): ReadonlyMap<string, Tally> {
  const tally = tallies.get(common) ?? tallyOf(common);
  tallies.set(common, tally);
  return tally;
}

/** Verdicts by target and outcome. */
function tallyOf(
  verdicts: readonly (Pick<Verdict, "attachmentId" | "outcome"> | null)[],
): Map<string, Map<VerdictOutcome, number>> {
  const tallied = new Map<string, Map<VerdictOutcome, number>>();
  for (const verdict of verdicts) {
    if (!verdict) continue;
    const target = targetSlugOf(verdict.attachmentId);
    const tally = tallied.get(target) ?? new Map<VerdictOutcome, number>();
    tallied.set(target, tally.set(verdict.outcome, countOf(tally, verdict.outcome) + 1));
  }
  return tallied;
}

function countOf(tally: Tally | undefined, outcome: VerdictOutcome): number {
  return tally?.get(outcome) ?? 0;
}

/** Sums of whole verdicts, by endpoint. */
export function byEndpoint(expanded: ReadonlyMap<string, number>): Map<string, TrafficSum[]> {
  return Map.groupBy(
    [...expanded].map(([key, count]): TrafficSum => ({ ...readTrafficKey(key), count })),
    ({ endpoint }) => endpoint,
  );
}
