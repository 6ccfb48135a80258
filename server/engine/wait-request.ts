import { definitionKind, type SourceDefinition } from "../../sdk/definition.ts";
import { parseDuration } from "../../sdk/duration.ts";
import { showOption } from "../../sdk/retry-options.ts";
import type { Json } from "../contract/json.ts";
import type { Manifest } from "../contract/project/manifest.ts";
import { type EventMatch, eventMatchSchema } from "../contract/run.ts";
import { findSensitive } from "../domain/privacy/sensitive-schema.ts";
import type { EventResult } from "../domain/runs/event-waits.ts";
import { fromPointer } from "../shared/json/json-pointer.ts";
import { FinalFailure, wrongCall } from "./run-errors.ts";
import { cloneJson } from "./run-values.ts";

/** What `ctx.waitFor` and `ctx.waitForAny` are called with. */

/** An event of the call. */
export interface AwaitedEvent {
  /** Its name in `waitForAny`; empty: the only one. */
  branch: string;
  source: SourceDefinition;
  match: EventMatch;
}

export interface WaitTimes {
  timeoutMs: number;
  since: number;
}

const maxPaths = 5;
const maxEvents = 20;
const defaultTimeout = "7d";
/** Of a wait, and of a call. */
export const maxTimeoutMs = 366 * 86_400_000;

/** The options of a call, without misspelt names. */
export function readOptions(call: string, given: unknown, names: readonly string[]): Record<string, unknown> {
  if (typeof given !== "object" || given === null)
    throw wrongCall(`${call}: the options must be an object: { ${names.join(", ")} }.`);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw wrongCall(`${call} has no option ${JSON.stringify(unknown)}. Its options are ${names.join(", ")}.`);
  return { ...given };
}

/**
 * Reads one event. `call`: for messages. Throws a TypeError for a value that is not one, and a FinalFailure for a
 * source whose webhooks are not received, for a wrong `match`, and for a sensitive value.
 */
export function readAwaited(
  call: string,
  branch: string,
  given: { source: unknown; match?: unknown },
  manifest: Pick<Manifest, "triggers">,
): AwaitedEvent {
  const where = branch === "" ? call : `${call}: the event ${JSON.stringify(branch)}`;
  const source = readSource(where, given.source);
  const match = readMatch(where, given.match ?? {});
  requireReceived(where, source, manifest);
  requirePublic(where, source, match, manifest);
  return { branch, source, match };
}

export function readAllAwaited(call: string, given: unknown, manifest: Pick<Manifest, "triggers">): AwaitedEvent[] {
  const names = typeof given === "object" && given !== null ? Object.keys(given) : [];
  if (names.length === 0 || names.length > maxEvents || names.includes(""))
    throw wrongCall(
      `${call} needs one to ${maxEvents} events by name: { shipped: { source: orderShipped, match: { … } }, … }.`,
    );
  return names.map((name) => {
    const event: unknown = Reflect.get(Object(given), name);
    if (typeof event !== "object" || event === null || !("source" in event))
      throw wrongCall(`${call}: the event ${JSON.stringify(name)} must be { source, match }.`);
    return readAwaited(call, name, event, manifest);
  });
}

/** `acceptedAt`: when the run was accepted. `now`: of the call. */
export function readWaitTimes(
  call: string,
  { timeout = defaultTimeout, since }: { timeout?: unknown; since?: unknown },
  { acceptedAt }: { acceptedAt: number },
): WaitTimes {
  const timeoutMs = parseDuration(timeout);
  if (timeoutMs === null || timeoutMs > maxTimeoutMs)
    throw wrongCall(
      `${call}: timeout is ${showOption(timeout)}. It must be a number of milliseconds or a string such as "10s", "5m" or "14d", at most "366d".`,
    );
  const at = since === undefined ? acceptedAt : readTime(since);
  if (at === null)
    throw wrongCall(
      `${call}: since is ${showOption(since)}. It must be a Date or an ISO 8601 time with an offset, such as "2026-01-31T12:00:00Z".`,
    );
  return { timeoutMs, since: at };
}

/** The last time that a Date of four-digit years has: later ones are no ISO 8601 times. */
const lastTime = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A Date, or an ISO 8601 time with an offset, in UTC milliseconds; `null`: it is neither. */
export function readTime(given: unknown): number | null {
  const at = parseTime(given);
  return at !== null && Math.abs(at) <= lastTime ? at : null;
}

function parseTime(text: unknown): number | null {
  if (text instanceof Date) return Number.isFinite(text.getTime()) ? text.getTime() : null;
  if (typeof text !== "string" || !/^\d{4}-\d\d-\d\dT[\d:.]{4,20}(?:Z|[+-]\d\d:\d\d)$/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : at;
}

/** A source, or a trigger that was made of one. */
function readSource(where: string, given: unknown): SourceDefinition {
  const kind: unknown = Reflect.get(Object(given), definitionKind);
  const source: unknown = kind === "trigger" ? Reflect.get(Object(given), "source") : given;
  if (Reflect.get(Object(source), definitionKind) !== "source")
    throw wrongCall(
      `${where} needs a source: the default export of a file in triggers/, or what defineWebhookSource returns.`,
    );
  return source as SourceDefinition;
}

function readMatch(where: string, given: unknown): EventMatch {
  const fault = findFault(given);
  if (fault !== null) throw new FinalFailure("InvalidMatch", `${where}: match${fault}`);
  return eventMatchSchema.parse(given);
}

/** What is wrong with `match`, with the fix; `null`: nothing. Another attempt would have the same paths. */
function findFault(given: unknown): string | null {
  const form = 'JSON Pointers, each with a string, a number or a boolean: { "/order/id": "A1" }.';
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return ` is ${describeValue(given)}. It must be an object with ${form}`;
  const fields = Object.entries(given);
  if (fields.length > maxPaths) return ` has ${fields.length} paths. It must have at most ${maxPaths} ${form}`;
  const [wrongPath] = Object.keys(given).filter((path) => !isPointer(path));
  if (wrongPath !== undefined)
    return `: ${JSON.stringify(wrongPath.slice(0, 200))} is not a JSON Pointer.${fixPath(wrongPath)}`;
  const values = eventMatchSchema.valueType;
  const wrong = fields.find(([, value]) => !values.safeParse(value).success);
  if (!wrong) return null;
  const [path, value] = wrong;
  return `: the value of ${JSON.stringify(path)} is ${describeValue(value)}. It must be a string, a number or a boolean.`;
}

const maxPathChars = 1_000;
const isPointer = (path: string) => /^(?:\/(?:[^~/]|~[01])*)+$/.test(path) && path.length <= maxPathChars;

function fixPath(path: string): string {
  if (path === "") return ' Write the path of a value, such as "/order/id".';
  if (path.length >= maxPathChars) return ` It can have at most ${maxPathChars} characters.`;
  const names = path.startsWith("/") ? path.slice(1) : path.replaceAll(".", "/");
  return ` Write ${JSON.stringify(`/${names.replaceAll(/~(?![01])/g, "~0")}`)}.`;
}

/** Without its content, which can be sensitive. */
function describeValue(value: unknown): string {
  if (typeof value === "number" || value === null || value === undefined) return String(value);
  const kind = Array.isArray(value) ? "array" : typeof value;
  return `${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`;
}

function requireReceived(where: string, { slug }: SourceDefinition, { triggers }: Pick<Manifest, "triggers">): void {
  if (triggers.some((trigger) => trigger.slug === slug)) return;
  throw new FinalFailure(
    "UnknownSource",
    `${where}: no file in triggers/ exports the source ${slug}, so its webhooks are not received. Add a file to triggers/ whose default export is the source, with .attach() or without it.`,
  );
}

/** Values are masked if any trigger of the endpoint marks them. What a run waits for is visible to all. */
function requirePublic(
  where: string,
  { slug }: SourceDefinition,
  match: EventMatch,
  { triggers }: Pick<Manifest, "triggers">,
): void {
  const endpoint = triggers.find((trigger) => trigger.slug === slug)?.endpoint;
  const schemas = triggers.flatMap((trigger) => (trigger.endpoint === endpoint ? [trigger.request] : []));
  for (const path of Object.keys(match)) {
    let place = findSensitive(schemas);
    for (const name of fromPointer(path)) {
      if (place?.isSensitive) break;
      place = place?.property(name) ?? place?.item(Number(name)) ?? null;
    }
    if (place?.hasSensitive)
      throw new FinalFailure(
        "SensitiveMatch",
        `${where}: ${path} of source ${slug} is sensitive. What a run waits for is shown, so match another value, such as an id.`,
      );
  }
}

/** The payload of an event as the source of this build parses it. */
export function payloadOf({ source: slug, deliveryId, payload }: EventResult, source: SourceDefinition): Json {
  const parsed: unknown = source.request.safeParse(cloneJson(payload));
  if (
    typeof parsed === "object" &&
    parsed !== null &&
    "success" in parsed &&
    parsed.success === true &&
    "data" in parsed
  )
    return parsed.data as Json;
  throw new FinalFailure(
    "InvalidEvent",
    `The payload of delivery ${deliveryId} matches the source ${slug} of the current build, but not that of the build that executes this run. Make the new schema accept what the old one did, or replay the run.`,
  );
}
