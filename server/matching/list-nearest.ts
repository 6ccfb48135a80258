import type { DisabledTriggers } from "../contract/disabled.ts";
import type { Json } from "../contract/json.ts";
import type { UnlistedVerdicts, Verdict, VerdictList } from "../contract/delivery.ts";
import { shortPointer } from "../shared/json/json-pointer.ts";
import { shortJson } from "../shared/json/short-json.ts";
import type { RequestFields } from "../domain/deliveries/request-fields.ts";
import type { TriggerIndex, TriggerSource } from "../ports/project.ts";
import { valueOf } from "./index/trigger-index.ts";

/** More groups than that are combined by outcome. */
const maxGroups = 20;

interface Evaluated {
  /** The evaluated triggers by their index: all candidates. The index excludes the others. */
  evaluated: ReadonlyMap<number, Verdict>;
  /** Attachments that are listed in any case; they are evaluated. */
  always: ReadonlySet<string>;
  maxMisses: number;
  triggers: readonly TriggerSource[];
  index: TriggerIndex | null;
  body: Json;
  fields: RequestFields | null;
  disabled: DisabledTriggers;
}

/**
 * The verdicts of an endpoint with many triggers: lists the matches and the nearest misses, and counts the others by
 * the field that stopped them. A trigger whose `filter` excludes the body counts as a mismatch of the filter, even if
 * its `request` does not match either: it is not evaluated.
 */
export function listNearest(p: Evaluated): VerdictList {
  const misses = [...p.evaluated]
    .filter(([, { outcome, attachmentId }]) => outcome !== "matched" && !p.always.has(attachmentId))
    .toSorted(([, a], [, b]) => distanceOf(a) - distanceOf(b) || a.reasons.length - b.reasons.length);
  const unlisted = new Map(misses.slice(p.maxMisses));
  const listed = [...p.evaluated].filter(([at]) => !unlisted.has(at)).toSorted(([a], [b]) => a - b);
  return {
    verdicts: listed.map(([, verdict]) => verdict),
    unlistedVerdicts: limitGroups([...groupMisses(unlisted.values()), ...groupExcluded(p)]),
  };
}

/**
 * A disabled trigger might have matched; a mismatch of `filter` got further than one of `request`, and that further
 * than one of `query`, which is evaluated after `headers`.
 */
function distanceOf({ outcome }: Verdict): number {
  return ["matched", "disabled", "filter_mismatch", "request_mismatch", "query_mismatch", "headers_mismatch"].indexOf(
    outcome,
  );
}

function groupMisses(verdicts: Iterable<Verdict>): UnlistedVerdicts[] {
  const groups = new Map<string, UnlistedVerdicts>();
  for (const { outcome, reasons } of verdicts) {
    if (outcome === "matched") continue;
    const { pointer, actual } = (outcome === "disabled" ? undefined : reasons[0]) ?? { pointer: null, actual: null };
    const key = JSON.stringify([outcome, pointer]);
    const group = groups.get(key) ?? { outcome, pointer, actual, count: 0 };
    groups.set(key, { ...group, count: group.count + 1 });
  }
  return [...groups.values()];
}

function groupExcluded({ evaluated, triggers, index, body, fields, disabled }: Evaluated): UnlistedVerdicts[] {
  if (!index) return [];
  const counts = new Map(index.countExcluded(body, fields));
  /** Removes a trigger from the count of the field that excludes it, if there is one. */
  const uncount = (at: number): boolean => {
    const field = index.excludingField(at, body, fields);
    if (field) counts.set(field, (counts.get(field) ?? 0) - 1);
    return field !== null;
  };
  // Listed triggers are not counted, disabled ones not with the others.
  for (const at of evaluated.keys()) uncount(at);
  let off = 0;
  if (disabled.size > 0)
    for (const [at, { slug }] of triggers.entries())
      if (disabled.has(slug) && !evaluated.has(at) && uncount(at)) off += 1;
  const groups = [...counts].map(([field, count]): UnlistedVerdicts => {
    const value = valueOf(field, body, fields);
    const actual = value === undefined ? null : shortJson(value);
    return { outcome: field.outcome, pointer: shortPointer(field.path), actual, count };
  });
  return [...groups, { outcome: "disabled", pointer: null, actual: null, count: off } as const].filter(
    ({ count }) => count > 0,
  );
}

/** The largest groups, largest first; the others are one for each outcome. */
function limitGroups(groups: readonly UnlistedVerdicts[]): UnlistedVerdicts[] {
  const sorted = groups.toSorted((a, b) => b.count - a.count);
  const combined = Map.groupBy(sorted.slice(maxGroups), ({ outcome }) => outcome);
  return [
    ...sorted.slice(0, maxGroups),
    ...[...combined].map(([outcome, some]) => ({
      outcome,
      pointer: null,
      actual: null,
      count: some.reduce((sum, { count }) => sum + count, 0),
    })),
  ];
}
