import { z } from "zod";
import type { Json } from "../../contract/json.ts";
import { isDataName } from "./shape.ts";
import { depthOf, itemsKey, sketchOf, valuesKey } from "./sketch.ts";

/**
 * When something was seen, on a clock that counts the deliveries in which it could have been. For a field, these are
 * the deliveries with its parent object. For a type, they have the field; for a string, they have a string in the
 * field.
 */
export interface Span {
  /** Number of deliveries that have it. */
  count: number;
  /** The clock before the first of them, and after the last. */
  first: number;
  last: number;
  /** Unix time in milliseconds. */
  firstSeen: number;
  lastSeen: number;
}

const types = ["null", "boolean", "number", "string", "array", "object"] as const;
export type EventType = (typeof types)[number];

export interface EventPath {
  presence: Span;
  types: Partial<Record<EventType, Span>>;
  /** The constants, and `otherText` for every other string. `null`: the strings are data. */
  values: Map<string, Span> | null;
}

/** The decisions of one trigger on deliveries of one kind. */
interface TriggerRecord {
  evaluated: number;
  /** The bodies that its `request` accepted. */
  accepted: number;
  /** The first reason of each mismatch, by pointer and types. */
  reasons: Map<string, Span & MismatchReason>;
}

export interface MismatchReason {
  pointer: string;
  expected: string | null;
  /** The JSON type of the value; `null`: it is missing. */
  actual: string | null;
}

/** What the deliveries of one kind have in common, in bounded memory. It is made in the order of the deliveries. */
export interface EventContract {
  count: number;
  firstSeen: number;
  lastSeen: number;
  /** By path, see `childPath` of sketches. Parents come first. */
  paths: Map<string, EventPath>;
  triggers: Map<string, TriggerRecord>;
}

/** One delivery, as a contract sees it. */
export interface EventSample {
  body: Json;
  /** Unix time in milliseconds. */
  seenAt: number;
  decisions: readonly { trigger: string; isAccepted: boolean; reason: MismatchReason | null }[];
}

/** Every string that is no constant. No constant is empty. */
export const otherText = "";

const maxPaths = 1_000;
const maxValues = 32;
const maxTriggers = 50;
const maxReasons = 20;
/** A field whose first strings are data is no enum. */
const minConstants = 20;
/** Paths that were seen once are forgotten after this many deliveries, if there are too many paths. */
const forgottenAfter = 50;

export function emptyEventContract(): EventContract {
  return { count: 0, firstSeen: Infinity, lastSeen: -Infinity, paths: new Map(), triggers: new Map() };
}

/** Adds a delivery to a contract, which changes. */
export function addEvent(contract: EventContract, { body, seenAt, decisions }: EventSample): void {
  contract.count += 1;
  contract.firstSeen = Math.min(contract.firstSeen, seenAt);
  contract.lastSeen = Math.max(contract.lastSeen, seenAt);
  const { paths } = contract;
  const sketch = sketchOf(body, seenAt);
  const found = [...sketch.paths].sort(([one], [other]) => depthOf(one) - depthOf(other));
  let isForgotten = false;
  for (const [path, facts] of found) {
    const clock = clockOf(contract, path);
    if (clock === null) continue;
    const known = paths.get(path);
    if (!known && paths.size >= maxPaths) {
      if (!isForgotten) forget(contract);
      isForgotten = true;
      if (paths.size >= maxPaths) continue;
    }
    const presence = mark(known?.presence, clock, seenAt);
    const own: EventPath["types"] = { ...known?.types };
    for (const type of Object.keys(facts.types).map(contractType))
      if (own[type]?.last !== presence.count) own[type] = mark(own[type], presence.count, seenAt);
    const texts = facts.types.string ? addTexts(known, own.string?.count ?? 0, { path, facts, seenAt }) : undefined;
    paths.set(path, { presence, types: own, values: texts === undefined ? (known ? known.values : new Map()) : texts });
  }
  for (const decision of decisions) addDecision(contract, decision, seenAt);
}

/** The number of deliveries that could have had the path, this one included; `null`: its parent is unknown. */
export function clockOf({ count, paths }: EventContract, path: string): number | null {
  if (path === "") return count;
  const parent = paths.get(parentOf(path));
  return (isInside(path) ? parent?.types.array?.count : undefined) ?? parent?.types.object?.count ?? null;
}

/** Whether a path is the items of an array, or the values of keys that are data: it has no name of its own. */
export function isUnnamed(path: string): boolean {
  const key = path.slice(path.lastIndexOf("/") + 1);
  return path === "" || key === itemsKey || key === valuesKey;
}

function isInside(path: string): boolean {
  return path.endsWith(`/${itemsKey}`);
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function contractType(type: string): EventType {
  return type === "integer" ? "number" : (type as EventType);
}

/** Adds an occurrence to a span. `clock` includes it. */
export function mark(span: Span | undefined, clock: number, seenAt: number): Span {
  return span
    ? { ...span, count: span.count + 1, last: clock, lastSeen: Math.max(span.lastSeen, seenAt) }
    : { count: 1, first: clock - 1, last: clock, firstSeen: seenAt, lastSeen: seenAt };
}

function addTexts(
  known: EventPath | undefined,
  clock: number,
  { path, facts, seenAt }: { path: string; facts: { values: ReadonlyMap<string, number> | null }; seenAt: number },
): EventPath["values"] {
  if (known?.values === null || isDataName(fieldNameOf(path))) return null;
  const values = new Map(known?.values);
  for (const text of facts.values?.keys() ?? [otherText]) values.set(text, mark(values.get(text), clock, seenAt));
  const isData = values.size > maxValues || (clock < minConstants && values.has(otherText));
  return isData ? null : values;
}

/** The name of a field, or that of the array whose items it has. */
export function fieldNameOf(path: string): string {
  return isUnnamed(path) && path !== "" ? fieldNameOf(parentOf(path)) : path.slice(path.lastIndexOf("/") + 1);
}

function addDecision({ triggers }: EventContract, decision: EventSample["decisions"][number], seenAt: number): void {
  const { trigger, isAccepted, reason } = decision;
  const known = triggers.get(trigger);
  if (!known && triggers.size >= maxTriggers) return;
  const record = known ?? { evaluated: 0, accepted: 0, reasons: new Map() };
  triggers.set(trigger, record);
  record.evaluated += 1;
  if (isAccepted) record.accepted += 1;
  if (!reason) return;
  const key = JSON.stringify([reason.pointer, reason.expected, reason.actual]);
  const before = record.reasons.get(key);
  if (before || record.reasons.size < maxReasons)
    record.reasons.set(key, { ...reason, ...mark(before, record.evaluated, seenAt) });
}

/** Makes room for new paths: forgets those that were seen once, long ago. */
function forget(contract: EventContract): void {
  const { paths } = contract;
  const parents = new Set([...paths.keys()].filter((path) => path !== "").map(parentOf));
  for (const [path, { presence }] of paths)
    if (presence.count === 1 && !parents.has(path) && (clockOf(contract, path) ?? 0) - presence.last > forgottenAfter)
      paths.delete(path);
}

/** Removes the strings that were last seen before a time. */
export function removeOldTexts({ paths }: EventContract, before: number): void {
  for (const { values } of paths.values())
    for (const [text, { lastSeen }] of values ?? []) if (lastSeen < before) values?.delete(text);
}

export const spanSchema = z.tuple([z.number(), z.number(), z.number(), z.number(), z.number()]);
const contractSchema = z.object({
  count: z.number(),
  firstSeen: z.number(),
  lastSeen: z.number(),
  paths: z.array(
    z.tuple([
      z.string(),
      spanSchema,
      z.partialRecord(z.enum(types), spanSchema),
      z.array(z.tuple([z.string(), spanSchema])).nullable(),
    ]),
  ),
  triggers: z.array(
    z.tuple([
      z.string(),
      z.number(),
      z.number(),
      z.array(z.tuple([z.string(), z.string().nullable(), z.string().nullable(), spanSchema])),
    ]),
  ),
});

/** A contract as JSON text, for the store. */
export function writeEventContract({ count, firstSeen, lastSeen, paths, triggers }: EventContract): string {
  return JSON.stringify({
    count,
    firstSeen,
    lastSeen,
    paths: [...paths].map(([path, { presence, types: own, values }]) => [
      path,
      toTuple(presence),
      Object.fromEntries(Object.entries(own).map(([type, span]) => [type, toTuple(span)])),
      values && [...values].map(([text, span]) => [text, toTuple(span)]),
    ]),
    triggers: [...triggers].map(([trigger, { evaluated, accepted, reasons }]) => [
      trigger,
      evaluated,
      accepted,
      [...reasons.values()].map((reason) => [reason.pointer, reason.expected, reason.actual, toTuple(reason)]),
    ]),
  } satisfies z.input<typeof contractSchema>);
}

export function readEventContract(text: string): EventContract {
  const { paths, triggers, ...rest } = contractSchema.parse(JSON.parse(text));
  return {
    ...rest,
    paths: new Map(
      paths.map(([path, presence, own, values]) => [
        path,
        {
          presence: toSpan(presence),
          types: Object.fromEntries(Object.entries(own).map(([type, span]) => [type, toSpan(span)])),
          values: values && new Map(values.map(([text, span]) => [text, toSpan(span)])),
        },
      ]),
    ),
    triggers: new Map(
      triggers.map(([trigger, evaluated, accepted, reasons]) => [
        trigger,
        {
          evaluated,
          accepted,
          reasons: new Map(
            reasons.map(([pointer, expected, actual, span]) => [
              JSON.stringify([pointer, expected, actual]),
              { pointer, expected, actual, ...toSpan(span) },
            ]),
          ),
        },
      ]),
    ),
  };
}

export function toTuple({ count, first, last, firstSeen, lastSeen }: Span): z.input<typeof spanSchema> {
  return [count, first, last, firstSeen, lastSeen];
}

export function toSpan([count, first, last, firstSeen, lastSeen]: z.output<typeof spanSchema>): Span {
  return { count, first, last, firstSeen, lastSeen };
}
