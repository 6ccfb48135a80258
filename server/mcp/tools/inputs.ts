import { z } from "zod";
import { parseDuration } from "../../../sdk/duration.ts";
import { isMoment } from "../../contract/filters.ts";
import { systemClock } from "../../ports/clock.ts";

/** Parts of the inputs of tools. Models read the descriptions. */

export const endpoint = z.string().min(1).describe("Endpoint without the leading /triggers/, e.g. `billing`");
export const trigger = z.string().min(1).describe("Slug of a trigger, e.g. `invoice-paid`");
export const runId = z.string().min(1).describe("Id of a run: `run_…`");
export const deliveryId = z.string().min(1).describe("Id of a delivery: `dlv_…`");

export const since = z
  .string()
  .min(1)
  .describe("Start of the period: an ISO 8601 time, or a duration before now such as `30m`, `24h` or `7d`");

export const body = z
  .unknown()
  .describe("The body as a JSON value. For an endpoint that accepts forms: an object with a value for each field");

/** No record: its schema has a keyword that some models' providers reject. */
export const headers = z
  .object({})
  .catchall(z.union([z.string(), z.array(z.string()).min(1)]))
  .describe('Headers of the request, e.g. {"x-github-event": "issues"}. Default: none');

export const query = z
  .string()
  .describe("Query of the URL, percent-encoded, e.g. `topic=refunds&shop=berlin`. Default: none");

/** Many clients wait a minute for a result. */
export const waitSeconds = (byDefault: number) =>
  z.int().min(0).max(50).default(byDefault).describe("Maximum time in seconds to wait until runs end");

/** The fields of a filter. Moments can also be durations before now. */
export function filterInput<Shape extends Record<string, z.ZodOptional>>({ shape }: z.ZodObject<Shape>): Shape {
  const fields = Object.entries(shape).map(([name, field]) => [name, isMoment(name) ? toMomentInput(field) : field]);
  return Object.fromEntries(fields) as Shape;
}

function toMomentInput(field: z.ZodOptional): z.ZodType {
  const [text] = ((field.unwrap() as z.ZodType).description ?? "").split(". ", 1);
  return z
    .string()
    .min(1)
    .optional()
    .describe(`${text}: ISO 8601, or a duration before now such as \`30m\`, \`24h\` or \`7d\``);
}

/** The same fields as the query of the API. */
export function toFilterQuery<Fields extends { since?: string | undefined; until?: string | undefined }>({
  since: from,
  until,
  ...fields
}: Fields) {
  return { ...fields, since: toMoment(from), until: toMoment(until) };
}

/** An ISO 8601 time. The service rejects everything that is neither a time nor a duration. */
export function toMoment(given: string | undefined): string | undefined {
  const agoMs = given === undefined ? null : parseDuration(given);
  return agoMs === null ? given : new Date(systemClock.now() - agoMs).toISOString();
}

/**
 * The JSON value of a body. Models often send JSON as a string: an object or an array in a string is parsed, and a fact
 * says so.
 */
export function readBody(given: unknown): { body: unknown; facts: string[] } {
  if (typeof given !== "string" || !/^\s*[{[]/.test(given)) return { body: given ?? null, facts: [] };
  try {
    return { body: JSON.parse(given), facts: ["The body was a string of JSON, and was parsed."] };
  } catch {
    return { body: given, facts: [] };
  }
}
