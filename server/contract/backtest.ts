import { z } from "zod";
import { deliverySummarySchema, reasonSchema, verdictOutcomeSchema } from "./delivery.ts";
import { problemErrorSchema } from "./problem.ts";
import { targetSchema } from "./project/target.ts";

/** Recorded deliveries that a build evaluates again: which triggers would fire now, and which did when they came. */

/** A recorded delivery with its body: base64 of its bytes; `null` if it is not stored. */
export const recordedDeliverySchema = deliverySummarySchema.extend({ body: z.string().nullable() });

/** Why a trigger did not fire. */
const stopSchema = z.object({
  /**
   * A verdict, or one of these. `absent`: the build does not have this trigger on the endpoint. `rejected`: the request
   * was rejected before triggers were evaluated, because its body could not be read. `unlisted`: the delivery counts
   * the verdict without its reason.
   */
  outcome: z.enum([...verdictOutcomeSchema.exclude(["matched", "disabled"]).options, "absent", "rejected", "unlisted"]),
  reasons: z.array(reasonSchema),
});

/** A difference: one trigger and one delivery. */
export const firingChangeSchema = stopSchema.extend({
  /** `gained`: it did not fire, and would now; `outcome` and `reasons` are recorded. `lost`: the opposite. */
  change: z.enum(["gained", "lost"]),
  deliveryId: z.string(),
  endpoint: z.string(),
  receivedAt: z.iso.datetime(),
  /** The run that a lost firing had started. */
  runId: z.string().nullable(),
});

/** A run that would fail before its code starts. */
export const inputFailureSchema = z.object({
  deliveryId: z.string(),
  endpoint: z.string(),
  receivedAt: z.iso.datetime(),
  /** `TransformFailed`, `PromptFailed`, `InvalidInput`, …: the name of the run's error. */
  name: z.string(),
  message: z.string(),
  errors: z.array(problemErrorSchema),
});

/** The differences of one trigger and one of its targets. */
const changedTriggerSchema = z.object({
  trigger: z.string(),
  attachmentId: z.string(),
  target: targetSchema,
  gained: z.int(),
  lost: z.int(),
  failed: z.int(),
  /** The newest ones, at most 100. */
  changes: z.array(firingChangeSchema),
  /** The newest ones, at most 100. */
  failures: z.array(inputFailureSchema),
});

const skipReasonSchema = z.enum(["no_body", "rejected", "repeat", "redelivery", "handshake", "disabled"]);

/** Deliveries without a comparison, by reason. */
const notComparedSchema = z.object({
  /**
   * `no_body`: the body is not stored. `rejected`: the request was rejected before a trigger could evaluate it, with
   * `code`. `repeat`: it repeats an accepted event. `redelivery`: a person delivered it again. `handshake`: the sender
   * verified the endpoint. `disabled`: a trigger that would fire now was switched off; its other triggers are compared.
   */
  reason: skipReasonSchema,
  code: z.string().nullable(),
  deliveries: z.int().positive(),
  /** The id of the newest one. */
  example: z.string(),
});

export const backtestSchema = z.object({
  /** The build that evaluated the deliveries. */
  version: z.string(),
  since: z.iso.datetime(),
  until: z.iso.datetime(),
  /** Only deliveries to this endpoint; `null`: to all. */
  endpoint: z.string().nullable(),
  /** Only firings of this trigger; `null`: of all. */
  trigger: z.string().nullable(),
  /** The number of deliveries that were evaluated again. */
  compared: z.int(),
  notCompared: z.array(notComparedSchema),
  /** Whether all deliveries of the period were read, or only the newest. */
  isComplete: z.boolean(),
  /** Firings that the build adds, over all triggers. */
  gained: z.int(),
  /** Firings that the build removes. */
  lost: z.int(),
  /** Runs that would fail for their transform or their input. 0 if they are not checked. */
  failed: z.int(),
  /** Those with a difference or a failure, by attachment id. */
  triggers: z.array(changedTriggerSchema),
});

export type RecordedDeliveryLine = z.infer<typeof recordedDeliverySchema>;
export type Stop = z.infer<typeof stopSchema>;
export type FiringChange = z.infer<typeof firingChangeSchema>;
export type InputFailure = z.infer<typeof inputFailureSchema>;
export type ChangedTrigger = z.infer<typeof changedTriggerSchema>;
export type SkipReason = z.infer<typeof skipReasonSchema>;
export type Backtest = z.infer<typeof backtestSchema>;
