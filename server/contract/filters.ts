import { z } from "zod";
import { deliveryOutcomeSchema } from "./delivery.ts";
import { timestampSchema } from "./list.ts";
import { givenKeySchema } from "./project/run-key.ts";
import { targetKindSchema } from "./project/target.ts";
import { runStatusSchema } from "./run.ts";

/**
 * The filters of the lists, with their texts. The API, the pages, the command line and MCP take all fields of them: as
 * JSON (`z.input`), as a query, as options, and as the input of a tool. Only runs and deliveries that satisfy all given
 * fields are listed.
 */

const slug = z.string();
const buildId = z.string();
const runId = idOf("run", "a run");
const deliveryId = idOf("dlv", "a delivery");
/** Only `true`, so that a field is either set or absent. */
const flag = z.literal(true);
const searchText = z.string().min(1).max(200);

/** How a moment is written in the API. */
const inIso = "ISO 8601. A date without a time starts at midnight UTC.";
const inAscii = "Case-insensitive for ASCII letters.";

/** Another value would list nothing, without a reason. */
function idOf(prefix: "run" | "dlv", what: string): z.ZodString {
  return z.string().regex(new RegExp(String.raw`^${prefix}_\w+$`), `Must be the id of ${what}: ${prefix}_…`);
}

function describe<Schema extends z.ZodType>(schema: Schema, description: string): z.ZodOptional<Schema> {
  return schema.clone().meta({ description }).optional();
}

/** By which runs are listed, counted, exported, and acted on in bulk. */
export const runFilterSchema = z.strictObject({
  trigger: describe(slug, "Only runs of the trigger with this slug."),
  target: describe(slug, "Only runs of the workflow or agent with this slug."),
  targetKind: describe(targetKindSchema, "Only runs of workflows, or of agents."),
  status: describe(runStatusSchema, "Only runs with this status."),
  delivery: describe(deliveryId, "Only runs that the delivery with this id started."),
  key: describe(givenKeySchema, "Only runs with this key: those about one customer, order, …"),
  version: describe(buildId, "Only runs that started with the build with this id."),
  replayOf: describe(runId, "Only replays of the run with this id."),
  failureOf: describe(runId, "Only runs that execute `onFailure` of the run with this id."),
  childOf: describe(runId, "Only runs that the run with this id called or started."),
  since: describe(timestampSchema, `Only runs created at or after this time. ${inIso}`),
  until: describe(timestampSchema, `Only runs created before this time. ${inIso}`),
  text: describe(searchText, `Only runs with this text in their payload or input. ${inAscii}`),
  minTokens: describe(z.int().min(0), "Only runs of agents that used at least this many tokens."),
  minCostUsd: describe(
    z.number().min(0),
    "Only runs of agents that cost at least this many US dollars. Runs of unknown cost are excluded.",
  ),
  needsApproval: describe(flag, "Only runs that wait for an approval."),
  waitsForKey: describe(flag, "Only runs that wait for another run with the same key."),
  waitsForEvent: describe(slug, "Only runs that wait for an event of the source with this slug."),
  // A resumed run is among them if it has failed again. A replay takes the place of its run: if it fails, it is
  // unresolved itself.
  unresolved: describe(flag, "Only runs that failed or timed out and have no replay."),
});

/**
 * The fields whose columns share an index with the usage of agents: it is summed by them fast. Only agents have usage,
 * so `targetKind` needs no index.
 */
export const spendFilterSchema = runFilterSchema.pick({
  trigger: true,
  target: true,
  status: true,
  version: true,
  since: true,
  until: true,
  minTokens: true,
  minCostUsd: true,
});

/** The fields by which usage is summed slowly, over fewer runs. */
export const slowUsageFields = Object.keys(runFilterSchema.omit({ targetKind: true }).shape).filter(
  (name) => !Object.hasOwn(spendFilterSchema.shape, name),
);

/** `stopped` is every verdict but a match. */
const verdictChoices = [
  "matched",
  "stopped",
  "headers_mismatch",
  "query_mismatch",
  "request_mismatch",
  "filter_mismatch",
] as const;

/** By which deliveries are listed and exported. */
export const deliveryFilterSchema = z.strictObject({
  endpoint: describe(z.string(), "Only deliveries to this endpoint."),
  outcome: describe(
    deliveryOutcomeSchema,
    "Only deliveries with this outcome. `skipped`: no trigger matched. `held`: they wait for a release.",
  ),
  status: describe(z.int().min(100).max(599), "Only deliveries that were answered with this HTTP status."),
  trigger: describe(slug, "Only deliveries that the trigger with this slug evaluated."),
  verdict: describe(
    z.enum(verdictChoices),
    "Only deliveries with this verdict of `trigger`. `stopped` is every verdict except `matched`.",
  ),
  redeliveryOf: describe(deliveryId, "Only redeliveries of the delivery with this id."),
  since: describe(timestampSchema, `Only deliveries received at or after this time. ${inIso}`),
  until: describe(timestampSchema, `Only deliveries received before this time. ${inIso}`),
  text: describe(searchText, `Only deliveries with this text in their body. ${inAscii}`),
});

/** By which held deliveries are released. They have a queue of their own, which has no other fields. */
export const heldFilterSchema = deliveryFilterSchema.pick({ endpoint: true, since: true, until: true });

export type VerdictChoice = (typeof verdictChoices)[number];

/** The fields whose values are moments. */
export function isMoment(field: string): field is "since" | "until" {
  return field === "since" || field === "until";
}

export type RunFilterFields = z.output<typeof runFilterSchema>;
export type SpendFilterFields = z.output<typeof spendFilterSchema>;
export type HeldFilterFields = z.output<typeof heldFilterSchema>;
export type DeliveryFilterFields = z.output<typeof deliveryFilterSchema>;
