import { z } from "zod";

/** A number of requests per unit of time. All of them may be sent at once; the allowance then refills evenly. */
export const rateSchema = z.strictObject({
  requests: z.int().min(1).max(1_000_000).describe("Number of requests."),
  per: z.enum(["second", "minute", "hour"]).describe("The unit of time."),
});

export type Rate = z.infer<typeof rateSchema>;

/**
 * How an endpoint identifies an event, and how long it remembers it. `header` is in lower case, `field` is a JSON
 * Pointer. Without both, the standard headers and the signature identify it.
 */
export const dedupeSchema = z.object({
  header: z.string().nullable().describe("The header that identifies an event."),
  field: z.string().nullable().describe("JSON Pointer of the field that identifies an event."),
  windowMs: z.int().min(1).describe("Milliseconds for which an event is remembered."),
});

export type Dedupe = z.infer<typeof dedupeSchema>;

const bigintsSchema = z
  .enum(["number", "string"])
  .describe("How numbers are parsed that JavaScript cannot represent exactly.");

const formatType = <Type extends string>(type: Type) => z.literal(type).describe("The format.");

/** A format in which an endpoint accepts bodies. */
export const bodyFormatSchema = z.discriminatedUnion("type", [
  z.object({ type: formatType("json"), bigints: bigintsSchema }),
  z.object({
    type: formatType("form"),
    field: z
      .string()
      .min(1)
      .nullable()
      .describe("The field of the form that contains JSON. `null`: the form is the payload."),
    bigints: bigintsSchema,
  }),
  z.object({ type: formatType("multipart") }),
  z.object({ type: formatType("text") }),
  z.object({ type: formatType("bytes") }),
]);

export type BodyFormat = z.infer<typeof bodyFormatSchema>;

/**
 * What a body gets that matches the `request` of no trigger: 422 (`reject`) or 200 (`skip`); `null`: 422 if the
 * endpoint has one trigger. `hold`: every request that starts no run gets 202 and waits to be released.
 */
export const onMismatchSchema = z.enum(["reject", "skip", "hold"]);

export type OnMismatch = z.infer<typeof onMismatchSchema>;

/** The methods of an endpoint. The body of a GET is its query. */
export const methodsSchema = z.array(z.enum(["POST", "GET"])).min(1);

export type Methods = z.infer<typeof methodsSchema>;

const maxReplyBytes = 16 * 1024;

/** The body and the headers of a fixed response. Names of headers are in lower case. */
const replyContentSchema = z.strictObject({
  body: z
    .string()
    .refine((body) => new TextEncoder().encode(body).length <= maxReplyBytes, "Must have 16 KiB at most")
    .describe("The body."),
  headers: z
    .record(
      z
        .string()
        .regex(/^[!#$%&'*+.^_`|~0-9a-z-]+$/)
        .refine((name) => !/^(?:signalbox-.*|connection|content-length|set-cookie|transfer-encoding|date)$/.test(name)),
      z.string().regex(/^(?:\t|\P{Cc})*$/u),
    )
    .describe("The headers."),
});

const fixedReplySchema = replyContentSchema
  .extend({ status: z.int().min(200).max(299).describe("The HTTP status.") })
  .refine(({ status, body }) => body === "" || (status !== 204 && status !== 205), {
    path: ["body"],
    error: "Must be empty with this status",
  });

/** A response for each outcome. `rejected` keeps the status of the problem. An absent one is the JSON of the outcome. */
const outcomeRepliesSchema = z.strictObject({
  accepted: fixedReplySchema.optional().describe("To a request that started runs."),
  skipped: fixedReplySchema.optional().describe("To a request that started nothing."),
  repeated: fixedReplySchema.optional().describe("To a repeat. Absent: the response to the first request."),
  held: fixedReplySchema.optional().describe("To a request that waits for its release."),
  rejected: replyContentSchema.optional().describe("In place of the body of a problem, whose status stays."),
});

/** The same response to accepted, repeated, skipped and held requests, or one for each outcome. */
export const replySchema = z.union([fixedReplySchema, outcomeRepliesSchema]);

export type FixedReply = z.infer<typeof fixedReplySchema>;
export type ReplyContent = z.infer<typeof replyContentSchema>;
export type Reply = z.infer<typeof replySchema>;

/** The outcomes that `reply` can name. */
export const replyOutcomes = outcomeRepliesSchema.keyof().options;

/** The schema of a fixed response to an outcome; `null`: the same response to all of them. */
export function replySchemaOf(outcome: (typeof replyOutcomes)[number] | null): z.ZodType<ReplyContent> {
  return outcome === "rejected" ? replyContentSchema : fixedReplySchema;
}

/** A JSON Pointer of a value below the root. */
export const pointerSchema = z.string().regex(/^(?:\/(?:[^~/]|~[01])+)+$/);

/** A value of a request. `header` is in lower case, `field` is a JSON Pointer. */
const requestValueSchema = z.union([
  z.strictObject({ query: z.string().min(1), header: z.undefined().optional(), field: z.undefined().optional() }),
  z.strictObject({ header: headerName(), query: z.undefined().optional(), field: z.undefined().optional() }),
  z.strictObject({
    field: pointerSchema,
    query: z.undefined().optional(),
    header: z.undefined().optional(),
  }),
]);

export type RequestValue = z.infer<typeof requestValueSchema>;

/** In lower case. */
export function headerName() {
  return z.string().regex(/^[!#$%&'*+.^_`|~0-9a-z-]+$/, "Must be the name of a header");
}

/** A header that an answer to a test may have: no browser and no cache acts on it. */
function answerHeader() {
  return headerName().regex(/^(?:x|webhook)-/, "Must begin with x- or webhook-");
}

/** A test of the endpoint by its sender, which the receiver answers itself. `name`: the sender, or `challenge`. */
export const challengeSchema = z.strictObject({
  name: z.string().describe("The sender by name, or `challenge`."),
  method: z.enum(["GET", "HEAD", "OPTIONS", "POST"]).describe("The method of the test."),
  /** `null`: every request of this method that has the value. */
  if: z.intersection(requestValueSchema, z.object({ is: z.string() })).nullable(),
  /** `null`: the answer is empty. */
  echo: requestValueSchema.nullable(),
  /** Without a field and a header, the answer is a plain text. */
  as: z.strictObject({ field: z.string().min(1).optional(), header: answerHeader().optional() }),
  headers: z.record(answerHeader(), z.string().regex(/^[!-~](?:[ -~]*[!-~])?$/)),
});

export type Challenge = z.infer<typeof challengeSchema>;

const segment = "[a-z0-9]+(?:-[a-z0-9]+)*";

/** A slug: lower-case letters and digits, in groups joined by single hyphens, at most 64 characters. */
export const slugSchema = z
  .string()
  .max(64)
  .regex(new RegExp(`^${segment}$`));

/** An endpoint: one or more slug segments joined by `/`, e.g. `billing` or `github/ci`. */
export const endpointSchema = z
  .string()
  .max(256)
  .regex(new RegExp(`^${segment}(?:/${segment})*$`));
