import { z } from "zod";
import { jsonSchema } from "./json.ts";
import { problemSchema } from "./problem.ts";
import { targetSchema } from "./project/target.ts";

/** One validation issue of a body: a JSON Pointer, Zod's code or `other_event`, and the expected and actual value. */
export const reasonSchema = z.object({
  pointer: z.string(),
  code: z.string(),
  message: z.string(),
  expected: z.string().nullable(),
  actual: z.string().nullable(),
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
  trigger: z.string(),
  attachmentId: z.string(),
  target: targetSchema,
  outcome: verdictOutcomeSchema,
  runId: z.string().nullable(),
  reasons: z.array(reasonSchema),
});

/**
 * Verdicts that a delivery counts instead of listing them, because its endpoint has many triggers: their number, and
 * the field that stopped them.
 */
export const unlistedVerdictsSchema = z.object({
  outcome: verdictOutcomeSchema.exclude(["matched"]),
  /** JSON Pointer of a field without a value that these triggers require; `null`: various fields, or no field. */
  pointer: z.string().nullable(),
  /** The received value of that field. */
  actual: z.string().nullable(),
  count: z.int().positive(),
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
  id: z.string(),
  endpoint: z.string(),
  receivedAt: z.iso.datetime(),
  method: z.string(),
  headers: z.record(z.string(), z.string()),
  bodyBytes: z.number().int(),
  bodySha256: z.string().nullable(),
  outcome: deliveryOutcomeSchema,
  responseStatus: z.number().int(),
  problem: problemSchema.nullable(),
  /** In the order of the triggers. On an endpoint with many triggers: the matches and the nearest misses. */
  verdicts: z.array(verdictSchema),
  unlistedVerdicts: z.array(unlistedVerdictsSchema),
  durationMs: z.number(),
  /** The delivery whose body was delivered again, by hand. */
  redeliveryOf: z.string().nullable(),
  /**
   * Sensitive values are replaced by fakes. The body is serialized again, or `null` if it cannot be read; its hash is
   * `null`. Absent: nothing is replaced.
   */
  isMasked: z.literal(true).optional(),
});

/** One delivery alone: also its body, as base64 of the bytes and, where it is JSON, as parsed. */
export const deliverySchema = deliverySummarySchema.extend({
  body: z.string().nullable(),
  json: jsonSchema.nullable(),
});

/** A body that is not JSON in UTF-8, as the JSON that triggers evaluate. */
export const evaluatedBodySchema = z.object({
  format: z.enum(["json", "form", "multipart", "text", "bytes"]),
  /** The fields of a form or the JSON in one of them, or a string. */
  text: z.string(),
});

/** Why a delivery did, or did not, start a run, in one line. */
const described = { decision: z.string() };

/** A delivery in the lists of the API. */
export const describedSummarySchema = deliverySummarySchema.extend(described);

/**
 * One delivery of the API, as the current build evaluates it. `evaluated` is `null` for JSON in UTF-8 and for an
 * unreadable body.
 */
export const describedDeliverySchema = deliverySchema.extend({
  evaluated: evaluatedBodySchema.nullable(),
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
  status: z.int(),
  /** `null`: it was rejected and not recorded. */
  deliveryId: z.string().nullable(),
  /** Empty if nothing was started, e.g. for the repeat of an accepted event. */
  runs: z.array(z.object({ runId: z.string(), trigger: z.string(), target: targetSchema })),
  problem: problemSchema.nullable(),
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
  id: z.string(),
  endpoint: z.string(),
  result: z.enum(["released", "already_released", "held", "failed"]),
  /** In a preview, nothing is started, and `runId` is `null`. */
  runs: z.array(z.object({ runId: z.string().nullable(), trigger: z.string(), target: targetSchema })),
  /** Why it is held or has failed; otherwise `null`. */
  message: z.string().nullable(),
});

/** The result for a batch of held deliveries, oldest first. */
export const releaseBatchSchema = z.object({
  /** The number of deliveries that started runs. */
  released: z.int(),
  data: z.array(releasedDeliverySchema),
  /** The start of the next batch; `null`: the last batch. */
  nextCursor: z.string().nullable(),
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
