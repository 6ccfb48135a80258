import { createHash } from "node:crypto";
import { z } from "zod";
import { type Json, jsonSchema } from "../../contract/json.ts";
import type { EventMatch } from "../../contract/run.ts";
import { isObject } from "../../shared/schema/json-schema.ts";
import { fromPointer, valueAt } from "../../shared/json/json-pointer.ts";

/**
 * Runs that wait for events. A wait and a delivery find each other by a hash of the source, the paths and the values at
 * these paths. So a delivery needs one look-up for each set of paths, however many runs wait.
 */

/** A source that a delivery matches, with the payload as its `request` parsed it. */
export interface MatchedEvent {
  source: string;
  payload: Json;
}

/** A delivery that ends a wait. */
export interface FoundEvent extends MatchedEvent {
  deliveryId: string;
  /** When the delivery was received. */
  receivedAt: number;
}

const eventResultSchema = z.object({
  /** The name of the event in `waitForAny`; empty: the only one. */
  branch: z.string(),
  source: z.string(),
  deliveryId: z.string(),
  payload: jsonSchema,
});

/** The result of the step of a wait. */
export type EventResult = z.infer<typeof eventResultSchema>;

/** The stored result of a step; `null`: its wait has timed out. */
export function readEventResult(stored: Json | null): EventResult | null {
  return eventResultSchema.safeParse(stored).data ?? null;
}

/**
 * The result that is stored when an event ends a wait. `stored`: the result so far, with the time that the attempt has
 * used.
 */
export type ToStoredResult = (stored: Json | null, result: EventResult, runId: string) => Json;

export const toStoredResult: ToStoredResult = (stored, result) => ({ ...(isObject(stored) ? stored : {}), ...result });

const keyBytes = 16;

/** The paths of a wait, in one order, as text. */
export function pathsOf(match: EventMatch): string {
  return JSON.stringify(Object.keys(match).toSorted());
}

export function keyOfWait({ source, match }: { source: string; match: EventMatch }): string {
  const paths = Object.keys(match).toSorted();
  return hashOf(
    source,
    paths,
    paths.map((path) => match[path]),
  );
}

/** The key of the waits with these paths that an event ends. `null`: it has no string, number or boolean at one of them. */
export function keyOfEvent({ source, payload }: MatchedEvent, pathsText: string): string | null {
  const paths = readPaths(pathsText);
  const values = paths.map((path) => valueAt(payload, fromPointer(path)));
  return values.every(isMatchable) ? hashOf(source, paths, values) : null;
}

export function isMatch(payload: Json, match: EventMatch): boolean {
  return Object.entries(match).every(([path, value]) => valueAt(payload, fromPointer(path)) === value);
}

function isMatchable(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** The store wrote it. */
function readPaths(text: string): string[] {
  return JSON.parse(text) as string[];
}

function hashOf(source: string, paths: readonly string[], values: readonly unknown[]): string {
  return createHash("sha256")
    .update(JSON.stringify([source, paths, values]))
    .digest("hex")
    .slice(0, 2 * keyBytes);
}

/**
 * A process may accept webhooks for so long without knowing that a run waits with paths that none has had before. A
 * search of what was received before a wait is final only then.
 */
export const unknownPathsMs = 15_000;

/** A wait that was not searched times out this much later, if the search does not end before. */
const searchGraceMs = 60_000;

/** A wait as the store has it when its run is suspended. */
export interface StoredWait {
  /** The end of its step; `null`: it is open. */
  finishedAt: number | null;
  until: number;
  /** When its search can be final; `null`: it is complete. */
  searchAt: number | null;
}

/** `ended`: the run has its event. `timed_out`: end it without one. Otherwise the run is due at a time. */
export type WaitPlan = { kind: "ended" | "timed_out" } | { kind: "open"; dueAt: number };

/** What the suspension of a run means for one of its waits. */
export function planWait({ finishedAt, until, searchAt }: StoredWait, now: number): WaitPlan {
  if (finishedAt !== null) return { kind: "ended" };
  if (searchAt !== null) return { kind: "open", dueAt: Math.max(until, searchAt + searchGraceMs) };
  return until <= now ? { kind: "timed_out" } : { kind: "open", dueAt: until };
}
