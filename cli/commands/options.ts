import { InvalidArgumentError } from "commander";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseDuration } from "../../sdk/duration.ts";
import { AppError } from "../../server/contract/app-error.ts";
import { type Methods, methodsSchema } from "../../server/contract/project/endpoint.ts";
import type { Json } from "../../server/contract/json.ts";
import { isTimestamp } from "../../server/contract/list.ts";
import { parseJsonBody } from "../../server/domain/requests/request-body.ts";
import { usageFailure } from "../terminal/failure.ts";
import type { CommandContext } from "./command-context.ts";

export const dataOption = ["--data <json>", "The body: JSON, @file, or - for stdin"] as const;

/** Parsers of option values. Invalid values are wrong usage. */
function wholeNumber(name: string, min: number, max: number): (value: string) => number {
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`${name} must be a whole number from ${min} to ${max}.`);
  };
}

export const parsePort = wholeNumber("The port", 0, 65_535);
const parseLimit = wholeNumber("The limit", 1, 100);
export const parseConcurrency = wholeNumber("The number of runs", 1, 1_000_000);
export const parseDays = wholeNumber("The number of days", 1, 90);
export const parseBulkLimit = wholeNumber("The limit", 1, 1_000_000);

/** Part of a list. */
export interface PageOptions {
  cursor?: string;
  limit: number;
}

/** Without a cursor that was not given. */
export function pageOf({ cursor, limit }: PageOptions): PageOptions {
  return cursor === undefined ? { limit } : { cursor, limit };
}

export const cursorOption = ["--cursor <cursor>", "Continue with the `nextCursor` of an earlier page"] as const;
export const limitOption = (rows: string, byDefault = 20) =>
  ["--limit <number>", `Maximum number of ${rows}, 1 to 100`, parseLimit, byDefault] as const;

/** Prints how a list of `rows` continues. */
export function notifyOlder(
  { notify }: Pick<CommandContext, "notify">,
  rows: string,
  { nextCursor }: { nextCursor: string | null },
): void {
  if (nextCursor !== null) notify(`Older ${rows}: --cursor ${nextCursor}`);
}

const roles = ["all", "web", "worker"] as const;
export type Role = (typeof roles)[number];

/** The processes of a machine. */
export function parseRole(value: string): Role {
  const role = roles.find((known) => known === value);
  if (role) return role;
  throw new InvalidArgumentError(`The role must be one of ${roles.join(", ")}.`);
}

/** Milliseconds. */
export function parseLifetime(value: string): number {
  const ms = parseDuration(value);
  if (ms !== null && ms > 0) return ms;
  throw new InvalidArgumentError(
    "The lifetime must be a number with a unit, e.g. 12h or 90d, at most 36525d (100 years).",
  );
}

/** Milliseconds. */
export function parseAgo(value: string): number {
  const ms = parseDuration(value);
  if (ms !== null && ms > 0) return ms;
  throw new InvalidArgumentError(
    "The duration must be a number with a unit, e.g. 30m, 24h or 7d, at most 36525d (100 years).",
  );
}

/** The milliseconds of a last period, or a time as the API takes it. */
export type Since = number | string;

export function parseSince(value: string): Since {
  if (isTimestamp(value)) return value;
  const ms = parseDuration(value);
  if (ms !== null && ms > 0) return ms;
  throw new InvalidArgumentError(
    "The period must be a number with a unit, e.g. 30m, 24h or 7d, at most 36525d (100 years), or an ISO 8601 time, e.g. 2026-11-21T10:00:00Z.",
  );
}

/** The start, as the API takes it. `undefined`: there is none. */
export function startOfPeriod(since: Since | undefined, now: number): string | undefined {
  return typeof since === "number" ? new Date(now - since).toISOString() : since;
}

/** Milliseconds, possibly 0. */
export function parseOverlap(value: string): number {
  const ms = value === "0" ? 0 : parseDuration(value);
  if (ms !== null && ms <= maxOverlapMs) return ms;
  throw new InvalidArgumentError("The overlap must be a number with a unit, e.g. 1h or 7d, at most 90d, or 0.");
}

const maxOverlapMs = 90 * 24 * 60 * 60 * 1000;

export function collect(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}

export const headerOption = [
  "--header <header>",
  'A request header, "name: value". Can be repeated',
  collectHeader,
] as const;

/** By lower-case name. A header that is given several times has several values. */
function collectHeader(value: string, previous: Record<string, string[]> = {}): Record<string, string[]> {
  const [, name, text] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)$/.exec(value) ?? [];
  if (name === undefined || text === undefined)
    throw new InvalidArgumentError('A header is a name and a value, e.g. "x-github-event: issues".');
  const key = name.toLowerCase();
  return { ...previous, [key]: [...(previous[key] ?? []), text] };
}

export const queryOption = [
  "--query <query>",
  'The query of the URL, e.g. "topic=orders&tag=a&tag=b"',
  (value: string) => value.replace(/^\?/, ""),
] as const;

export const methodOption = [
  "--method <method>",
  "POST or GET. The body of a GET is its query. Default: the first method of the endpoint",
  (value: string): Methods[number] => {
    const method = methodsSchema.element.options.find((known) => known === value.toUpperCase());
    if (method) return method;
    throw new InvalidArgumentError("The method must be POST or GET.");
  },
] as const;

/** The bytes of --data: JSON, `@file` (relative to the current folder), or `-` for stdin. Not parsed. */
export async function readData(
  value: string,
  context: Pick<CommandContext, "cwd" | "stdin" | "notify">,
): Promise<Uint8Array> {
  if (value === "-") return readStdin(context);
  if (!value.startsWith("@")) return Buffer.from(value, "utf8");
  const path = resolve(context.cwd, value.slice(1));
  try {
    return await readFile(path);
  } catch (error) {
    throw usageFailure(
      `--data: ${path} cannot be read (${error instanceof Error && "code" in error ? error.code : error}).`,
      "A path after @ is relative to the current folder.",
    );
  }
}

/** The same, parsed as the trigger reads numbers. Reports those that JavaScript rounds. */
export async function readJsonData(
  value: string,
  context: Pick<CommandContext, "cwd" | "stdin" | "notify">,
  options: { bigints: "number" | "string" },
): Promise<Json> {
  try {
    const { json, rounded } = parseJsonBody(await readData(value, context), options);
    if (rounded.length > 0)
      context.notify(
        `JavaScript cannot represent these numbers of --data exactly, and rounds them: ${rounded.join(", ")}`,
      );
    return json;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const hint =
      value === "-" || value.startsWith("@") ? "" : "Put the JSON in single quotes, or in a file: --data @body.json";
    const [first] = error.errors;
    const place = first ? ` It is at ${first.pointer || "the root"}.` : "";
    throw usageFailure(`--data is not valid JSON: ${error.message}${place}`, hint);
  }
}

async function readStdin({ stdin, notify }: Pick<CommandContext, "stdin" | "notify">): Promise<Uint8Array> {
  if (stdin.isTTY) notify("Reading the body from the terminal. End it with Ctrl-D.");
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin) chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks);
}
