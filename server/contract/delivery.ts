import { z } from "zod";
import {
  actual,
  attachmentId,
  endpoint,
  expected,
  id,
  isMasked,
  message,
  pointer,
  receivedAt,
  runId,
  trigger,
} from "./fields.ts";
import { jsonSchema } from "./json.ts";
import { problemSchema } from "./problem.ts";
import { targetSchema } from "./project/target.ts";

/** One validation issue of a body: a JSON Pointer, Zod's code or `other_event`, and the expected and actual value. */
export const reasonSchema = z.object({
  pointer,
  code: z.string().describe("A code that programs can rely on."),
  message,
  expected,
  actual,
});

export const verdictOutcomeSchema = z.enum([
  "matched",
  "headers_mismatch",
  "query_mismatch",
  "request_mismatch",
  "filter_mismatch",
  "disabled",
]);

/** Headers that a person or a program wrote; a repeated one has several values. */
export const givenHeadersSchema = z.record(
  z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "Must be the name of a header"),
  z.union([headerValue(), z.array(headerValue()).min(1)]),
);

/** A query that a person or a program wrote, as it is in a URL. */
export const givenQuerySchema = z
  .string()
  .max(16_384)
  .regex(/^[\x21\x22\x24-\x7e]*$/, "Must be percent-encoded");

function headerValue() {
  return z
    .string()
    .max(8192)
    .regex(/^(?:\t|\P{Cc})*$/u, "Must have no line breaks or control characters");
}

/** What one trigger decided about one delivery. */
export const verdictSchema = z.object({
  trigger,
  attachmentId,
  target: targetSchema.nullable().describe("What a match starts. `null`: nothing."),
  outcome: verdictOutcomeSchema.describe("The decision of the trigger."),
  runId: z.string().nullable().describe("Id of the started run. `null`: none was started."),
  reasons: z.array(reasonSchema).describe("Why it did not match. Empty for a match."),
});

/**
 * Verdicts that a delivery counts instead of listing them, because its endpoint has many triggers: their number, and
 * the field that stopped them.
 */
export const unlistedVerdictsSchema = z.object({
  outcome: verdictOutcomeSchema.exclude(["matched"]).describe("The decision of these triggers."),
  /** JSON Pointer of a field without a value that these triggers require; `null`: various fields, or no field. */
  pointer: z.string().nullable().describe("The field that stopped them. `null`: various fields, or none."),
  actual,
  count: z.int().positive().describe("Number of these triggers."),
});

export type Reason = z.infer<typeof reasonSchema>;
export type VerdictOutcome = z.infer<typeof verdictOutcomeSchema>;
export type Verdict = z.infer<typeof verdictSchema>;
export type UnlistedVerdicts = z.infer<typeof unlistedVerdictsSchema>;

/** The verdicts of all triggers of an endpoint on one body. */
export interface VerdictList {
  verdicts: Verdict[];
  unlistedVerdicts: UnlistedVerdicts[];
}

/** No trigger was evaluated. */
export const noVerdicts: VerdictList = { verdicts: [], unlistedVerdicts: [] };

/** `held`: it started no run, and waits to be released: its endpoint has `onMismatch: "hold"`. */
export const deliveryOutcomeSchema = z.enum(["accepted", "skipped", "rejected", "repeated", "held"]);

/** Where a delivery of another service's feed comes from, and what that service decided. */
export const originSchema = z.object({
  /** Of the service, without a path of the delivery. */
  url: z.string(),
  outcome: deliveryOutcomeSchema,
  responseStatus: z.int(),
  /** The verdicts that it listed. */
  verdicts: z.array(z.object({ attachmentId: z.string(), outcome: verdictOutcomeSchema })),
  /** Whether matches started no runs here, because they were only evaluated. */
  isMatchOnly: z.boolean(),
  /** Whether sensitive values are fakes here, which that service put in their place. */
  isMasked: z.boolean(),
});

export type Origin = z.infer<typeof originSchema>;

/** One inbound request to an endpoint, without its body: what lists show. */
export const deliverySummarySchema = z.object({
  id: z.string().describe("The id, `dlv_…`."),
  endpoint,
  receivedAt,
  method: z.string().describe("The HTTP method."),
  headers: z
    .record(z.string(), z.string())
    .describe("The request headers, without keys and cookies. Names are in lower case."),
  bodyBytes: z.number().int().describe("Size of the body in bytes."),
  bodySha256: z.string().nullable().describe("SHA-256 of the body, in hexadecimal. `null`: the body was not read."),
  outcome: deliveryOutcomeSchema.describe("The outcome of the request."),
  responseStatus: z.number().int().describe("HTTP status of the response."),
  problem: problemSchema.nullable().describe("The problem in the response. `null`: it had none."),
  /** In the order of the triggers. On an endpoint with many triggers: the matches and the nearest misses. */
  verdicts: z.array(verdictSchema).describe("The decisions of the triggers."),
  unlistedVerdicts: z
    .array(unlistedVerdictsSchema)
    .describe("Counts of the other verdicts, on an endpoint with many triggers."),
  woke: z
    .array(
      z.object({
        runId: z.string().describe("Id of the run."),
        source: z.string().describe("Slug of the source whose event it waited for."),
      }),
    )
    .optional()
    .describe("The runs that waited for this delivery. Absent: none did."),
  durationMs: z.number().describe("Milliseconds from the request to the response."),
  redeliveryOf: z
    .string()
    .nullable()
    .describe("Id of the delivery whose body was delivered again. `null`: it came from a sender."),
  /**
   * Sensitive values are replaced by fakes. The body is serialized again, or `null` if it cannot be read; its hash is
   * `null`. Absent: nothing is replaced.
   */
  isMasked,
});

/** One delivery alone: also its body, as base64 of the bytes and, where it is JSON, as parsed. */
export const deliverySchema = deliverySummarySchema.extend({
  body: z.string().nullable().describe("The body in base64, byte for byte. `null`: it is not stored."),
  json: jsonSchema.nullable().describe("The body as JSON. `null`: it is none, or is not stored."),
});

/** A body that is not JSON in UTF-8, as the JSON that triggers evaluate. */
export const evaluatedBodySchema = z.object({
  format: z.enum(["json", "form", "multipart", "text", "bytes"]).describe("The format of the body."),
  text: z.string().describe("The value that triggers evaluate, as JSON."),
});

const described = { decision: z.string().describe("Why the delivery did, or did not, start a run, in one line.") };

/** A delivery in the lists of the API. */
export const describedSummarySchema = deliverySummarySchema.extend(described);

/**
 * One delivery of the API, as the current build evaluates it. `evaluated` is `null` for JSON in UTF-8 and for an
 * unreadable body.
 */
export const describedDeliverySchema = deliverySchema.extend({
  evaluated: evaluatedBodySchema
    .nullable()
    .describe("The body as triggers evaluate it. `null`: it is JSON in UTF-8, is not stored, or cannot be read."),
  ...described,
});

/** A delivery in the lists of the app. */
export interface DeliveryRow extends DescribedSummary {
  /** The kind of the event, by the header and the fields that name it: `issues opened`. `null`: nothing names it. */
  event: string | null;
  /** The endpoint that the sender of a delivery to an unknown endpoint probably meant; `null`: none is similar. */
  probableEndpoint: string | null;
}

/** The response to a sender, without the headers that every response has. */
export interface SenderResponse {
  status: number;
  /** As it was sent. `null`: the answer to a handshake, which is not stored. */
  body: string | null;
  headers: Record<string, string>;
}

/** One delivery on its page. `body` contains its JSON. */
export interface DeliveryDetails extends DeliveryRow {
  body: string | null;
  evaluated: DescribedDelivery["evaluated"];
  marks: BodyMark[];
  /** What the sender received; `null`: it was delivered again or comes from a feed, and has no sender here. */
  response: SenderResponse | null;
  /** The service whose feed it is from, and its decision in words; `null`: this service received it itself. */
  origin: { url: string; text: string; differences: string[] } | null;
}

/** The response that a sender would get to a delivery that a person or a program sent, and what it led to. */
export const sentDeliverySchema = z.object({
  status: z.int().describe("The HTTP status that a sender would get."),
  deliveryId: z.string().nullable().describe("Id of the recorded delivery. `null`: it was rejected and not recorded."),
  runs: z
    .array(z.object({ runId, trigger, target: targetSchema }))
    .describe("The started runs. Empty if nothing was started, e.g. for the repeat of an accepted event."),
  woke: z.array(z.object({ runId })).optional().describe("The runs that waited for this delivery. Absent: none did."),
  problem: problemSchema.nullable().describe("Why it was rejected. `null`: it was not rejected."),
});

/**
 * A path of the evaluated body that a trigger decided on. `matched`: a fixed value of its schemas. `stopped`: what the
 * filter requires otherwise. `wrong`: what no trigger accepts. `other`: the body is right for another trigger.
 */
export interface BodyMark {
  pointer: string;
  kind: "matched" | "stopped" | "wrong" | "other";
  text: string;
  /** The triggers that say so; empty: the receiver itself rejected the body. */
  triggers: string[];
  /** All triggers that evaluated the body say so. */
  isOfAll: boolean;
}

/** One name or path with different values. `written`: the same value in another notation, such as `1.0` and `1`. */
export interface DeliveryDifference {
  name: string;
  kind: "added" | "removed" | "changed" | "written";
  /** `null`: absent. */
  before: string | null;
  after: string | null;
}

/** What differs between a delivery and another one. */
export interface DeliveryComparison {
  other: Pick<DeliverySummary, "id" | "outcome" | "responseStatus" | "receivedAt">;
  parts: {
    title: string;
    /** Shown if nothing differs. */
    same: string;
    differences: DeliveryDifference[];
    /** That further differences are left out. */
    more?: string;
  }[];
}

/**
 * A held delivery after another evaluation. `released`: it started `runs`. `already_released`: these are the runs of an
 * earlier release. `held`: no trigger matches yet. `failed`: see `message`, e.g. a queue is full.
 */
export const releasedDeliverySchema = z.object({
  id,
  endpoint,
  result: z
    .enum(["released", "already_released", "held", "failed"])
    .describe("`held`: no trigger matches yet. `already_released`: `runs` are those of an earlier release."),
  runs: z
    .array(z.object({ runId: runId.nullable(), trigger, target: targetSchema }))
    .describe("The started runs. In a dry run, `runId` is `null`."),
  message: z.string().nullable().describe("Why it is held or has failed. Otherwise `null`."),
});

/** The result for a batch of held deliveries, oldest first. */
export const releaseBatchSchema = z.object({
  released: z.int().describe("Number of deliveries that started runs."),
  data: z.array(releasedDeliverySchema).describe("The entries."),
  nextCursor: z.string().nullable().describe("The `cursor` of the next batch. `null`: this was the last."),
});

export type ReleasedDelivery = z.infer<typeof releasedDeliverySchema>;
export type ReleaseBatch = z.infer<typeof releaseBatchSchema>;

export type SentDelivery = z.infer<typeof sentDeliverySchema>;
export type DeliveryOutcome = z.infer<typeof deliveryOutcomeSchema>;
export type DeliverySummary = z.infer<typeof deliverySummarySchema>;
export type Delivery = z.infer<typeof deliverySchema>;
export type DescribedSummary = z.infer<typeof describedSummarySchema>;
export type DescribedDelivery = z.infer<typeof describedDeliverySchema>;

/** The verdict with the fewest reasons, if no trigger matches. */
export function nearestMiss({ verdicts }: Pick<VerdictList, "verdicts">): Verdict | null {
  return verdicts.toSorted((a, b) => a.reasons.length - b.reasons.length)[0] ?? null;
}
