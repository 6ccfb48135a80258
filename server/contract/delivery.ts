import { z } from "zod";
import { jsonSchema } from "./json.ts";
import { problemSchema } from "./problem.ts";
import { verdictSchema } from "./verdict.ts";

export const deliveryOutcomeSchema = z.enum(["accepted", "skipped", "rejected", "repeated"]);

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
  verdicts: z.array(verdictSchema),
  durationMs: z.number(),
  /** The delivery whose body was delivered again, by hand. */
  redeliveryOf: z.string().nullable(),
});

/** One delivery alone: also its body, as base64 of the bytes and, where it is JSON, as parsed. */
export const deliverySchema = deliverySummarySchema.extend({
  body: z.string().nullable(),
  json: jsonSchema.nullable(),
});

export type DeliveryOutcome = z.infer<typeof deliveryOutcomeSchema>;
export type DeliverySummary = z.infer<typeof deliverySummarySchema>;
export type Delivery = z.infer<typeof deliverySchema>;
