import {
  type EventContract,
  type EventPath,
  type EventType,
  type MismatchReason,
  type Span,
  clockOf,
  fieldNameOf,
  isUnnamed,
  otherText,
} from "./event-contract.ts";
import { isConstantName } from "./shape.ts";

/** A change of the deliveries of one kind. */
export interface Drift {
  change: "stopped_matching" | "new_type" | "missing_field" | "new_field" | "new_value" | "new_kind";
  /** The path in the body: a JSON Pointer, with `~items` and `~values` for items and keys that are data. */
  path: string | null;
  /** The trigger that does not match any more. */
  trigger: string | null;
  /** The previous types, or what `request` expects. */
  expected: string | null;
  /** The new type, value or kind. */
  actual: string | null;
  /** The first delivery with the change; of a missing field, the last one with the field. Unix milliseconds. */
  since: number;
  /** The deliveries with the change, and all deliveries since then that could have it. */
  deliveries: number;
  of: number;
  /** Why deliveries do not match any more, the most frequent reason first. */
  reasons: (MismatchReason & { deliveries: number })[];
}

/** A change needs this many deliveries before it. */
const minBefore = 20;
/** A new field, type, value or kind needs this many deliveries, a mismatch fewer: it has a witness in every one. */
const minWith = 5;
const minMismatches = 3;
/** A missing field is absent in this many deliveries. */
const minWithout = 10;

/**
 * A change is reported only if chance is this improbable as its cause. A contract has hundreds of paths and is compared
 * after each delivery, so the limit is low. The natural logarithm.
 */
const maxChance = Math.log(1e-9);
const maxMismatchChance = Math.log(1e-4);

/** An enum has at least this many strings for each of its values; a field whose name suggests an enum, fewer. */
const minTextsPerValue = 20;
const minTextsPerNamedValue = 5;
const maxEnumValues = 20;

/**
 * The changes of a contract since a time: the types and fields of bodies, the values of enums, and bodies that a
 * trigger accepted before. A change inside an object that is new, or that is missing, is not listed in addition to it.
 */
export function findDrift(contract: EventContract, { since }: { since: number }): Drift[] {
  return [
    ...stoppedMatching(contract),
    ...[...contract.paths].flatMap(([path, facts]) => driftAt(contract, path, facts)),
  ]
    .filter((drift) => drift.since >= since)
    .sort((one, other) => order.indexOf(one.change) - order.indexOf(other.change) || one.since - other.since);
}

const order: Drift["change"][] = [
  "stopped_matching",
  "new_type",
  "missing_field",
  "new_field",
  "new_value",
  "new_kind",
];

/** Kinds that an endpoint did not receive before. `clock` counts all its deliveries. */
export function findNewKinds(kinds: ReadonlyMap<string, Span>, clock: number, { since }: { since: number }): Drift[] {
  return [...kinds]
    .filter(([, span]) => isNew(span, clock) && span.firstSeen >= since)
    .map(([kind, span]) => ({ ...described("new_kind", span, clock), actual: kind }));
}

function described(change: Drift["change"], { count, first, firstSeen }: Span, clock: number): Drift {
  return {
    change,
    path: null,
    trigger: null,
    expected: null,
    actual: null,
    since: firstSeen,
    deliveries: count,
    of: clock - first,
    reasons: [],
  };
}

function driftAt(contract: EventContract, path: string, facts: EventPath): Drift[] {
  const clock = clockOf(contract, path);
  if (clock === null) return [];
  const { presence } = facts;
  const found = [...newTypes(path, facts), ...newValues(path, facts)];
  if (isUnnamed(path)) return found;
  if (isNew(presence, clock))
    found.push({ ...described("new_field", presence, clock), path, actual: Object.keys(facts.types).join(" or ") });
  if (isMissing(presence, clock))
    found.push({
      ...described("missing_field", presence, clock),
      path,
      expected: Object.keys(facts.types).join(" or "),
      since: presence.lastSeen,
      deliveries: clock - presence.last,
      of: clock - presence.last,
    });
  return found;
}

function newTypes(path: string, { presence, types }: EventPath): Drift[] {
  const all = Object.entries(types) as [EventType, Span][];
  const before = all.filter(([, span]) => !isNew(span, presence.count)).map(([type]) => type);
  return all
    .filter(([type]) => !before.includes(type))
    .map(([type, span]) => ({
      ...described("new_type", span, presence.count),
      path,
      expected: before.join(" or "),
      actual: type,
    }));
}

function newValues(path: string, { types, values }: EventPath): Drift[] {
  const clock = types.string?.count ?? 0;
  if (!values) return [];
  const found = [...values].filter(([, span]) => isNew(span, clock));
  const known = values.size - found.length;
  const perValue = isConstantName(fieldNameOf(path)) ? minTextsPerNamedValue : minTextsPerValue;
  if (known === 0 || known > maxEnumValues) return [];
  return found
    .filter(([, { first }]) => first >= known * perValue)
    .map(([value, span]) => ({
      ...described("new_value", span, clock),
      path,
      actual: value === otherText ? null : value,
    }));
}

/**
 * A trigger that accepted bodies of this kind, and rejects some for a reason that it did not have before. Not if it has
 * accepted too many bodies since: the trigger was fixed, or the sender.
 */
function stoppedMatching({ triggers }: EventContract): Drift[] {
  return [...triggers].flatMap(([trigger, { evaluated, accepted, reasons }]) => {
    const found = [...reasons.values()].filter(
      (span) =>
        span.first >= minBefore &&
        span.count >= minMismatches &&
        chanceOfNew(span, evaluated) <= maxMismatchChance &&
        chanceOfPause(span, evaluated) > maxMismatchChance,
    );
    if (accepted === 0 || found.length === 0) return [];
    const first = Math.min(...found.map((span) => span.first));
    const deliveries = found.reduce((sum, { count }) => sum + count, 0);
    return [
      {
        ...described("stopped_matching", { count: deliveries, first, last: 0, firstSeen: 0, lastSeen: 0 }, evaluated),
        trigger,
        since: Math.min(...found.map(({ firstSeen }) => firstSeen)),
        reasons: found
          .map(({ pointer, expected, actual, count }) => ({ pointer, expected, actual, deliveries: count }))
          .sort((one, other) => other.deliveries - one.deliveries),
      },
    ];
  });
}

function isNew(span: Span, clock: number): boolean {
  return span.first >= minBefore && span.count >= minWith && chanceOfNew(span, clock) <= maxChance;
}

/** If the order of deliveries were by chance: the probability that none of the first ones has it. */
function chanceOfNew({ first, count }: Span, clock: number): number {
  return logChoose(clock - first, count) - logChoose(clock, count);
}

/** If the order of deliveries were by chance: the probability that none of the last ones has it. */
function chanceOfPause({ first, last, count }: Span, clock: number): number {
  return logChoose(last - first, count) - logChoose(clock - first, count);
}

function isMissing({ last, count }: Span, clock: number): boolean {
  if (last < minBefore || clock - last < minWithout) return false;
  return logChoose(last, count) - logChoose(clock, count) <= maxChance;
}

/** The natural logarithm of the binomial coefficient. */
function logChoose(n: number, k: number): number {
  if (k > n) return -Infinity;
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

const logFactorials = [0];
for (let n = 1; n < 256; n++) logFactorials.push((logFactorials[n - 1] ?? 0) + Math.log(n));

/** By Stirling's series beyond the table, with an error below 1e-12. */
function logFactorial(n: number): number {
  const known = logFactorials[n];
  if (known !== undefined) return known;
  return n * Math.log(n) - n + Math.log(2 * Math.PI * n) / 2 + 1 / (12 * n) - 1 / (360 * n ** 3);
}
