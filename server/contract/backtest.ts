import { z } from "zod";
import { attachmentId, deliveryId, endpoint, message, receivedAt, trigger } from "./fields.ts";
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
  outcome: z
    .enum([...verdictOutcomeSchema.exclude(["matched", "disabled"]).options, "absent", "rejected", "unlisted"])
    .describe("Why the trigger did not fire before (`gained`), or would not now (`lost`)."),
  reasons: z.array(reasonSchema).describe("The reasons, in the order of the body."),
});

/** A difference: one trigger and one delivery. */
export const firingChangeSchema = stopSchema.extend({
  change: z.enum(["gained", "lost"]).describe("`gained`: it did not fire, and would now. `lost`: the opposite."),
  deliveryId,
  endpoint,
  receivedAt,
  runId: z.string().nullable().describe("Id of the run that a lost firing had started. `null`: there is none."),
});

/** A run that would fail before its code starts. */
export const inputFailureSchema = z.object({
  deliveryId,
  endpoint,
  receivedAt,
  /** `TransformFailed`, `PromptFailed`, `InvalidInput`, …: the name of the run's error. */
  name: z.string().describe("Name of the error of the run."),
  message,
  errors: z.array(problemErrorSchema).describe("The invalid values."),
});

/** The differences of one trigger and one of its targets. */
const changedTriggerSchema = z.object({
  trigger,
  attachmentId,
  target: targetSchema.nullable().describe("What a match starts. `null`: nothing."),
  gained: z.int().describe("Firings that the build adds."),
  lost: z.int().describe("Firings that the build removes."),
  failed: z.int().describe("Runs that would fail."),
  changes: z.array(firingChangeSchema).describe("The newest differences, at most 100."),
  failures: z.array(inputFailureSchema).describe("The newest failures, at most 100."),
});

const skipReasonSchema = z.enum(["no_body", "rejected", "repeat", "redelivery", "handshake", "disabled"]);

/** Deliveries without a comparison, by reason. */
const notComparedSchema = z.object({
  /**
   * `no_body`: the body is not stored. `rejected`: the request was rejected before a trigger could evaluate it, with
   * `code`. `repeat`: it repeats an accepted event. `redelivery`: a person delivered it again. `handshake`: the sender
   * verified the endpoint. `disabled`: a trigger that would fire now was disabled; its other triggers are compared.
   */
  reason: skipReasonSchema.describe("Why they were not compared."),
  code: z.string().nullable().describe("The problem of rejected requests. Otherwise `null`."),
  deliveries: z.int().positive().describe("Number of deliveries."),
  example: z.string().describe("Id of the newest one."),
});

export const backtestSchema = z.object({
  version: z.string().describe("The build that evaluated the deliveries."),
  since: z.iso.datetime().describe("The beginning of the period."),
  until: z.iso.datetime().describe("The end of the period."),
  endpoint: z.string().nullable().describe("Only deliveries to this endpoint. `null`: to all."),
  trigger: z.string().nullable().describe("Only firings of this trigger. `null`: of all."),
  compared: z.int().describe("Number of deliveries that were evaluated again."),
  notCompared: z.array(notComparedSchema).describe("Deliveries without a comparison, by reason."),
  isComplete: z.boolean().describe("Whether all deliveries of the period were read, or only the newest."),
  gained: z.int().describe("Firings that the build adds, over all triggers."),
  lost: z.int().describe("Firings that the build removes, over all triggers."),
  failed: z.int().describe("Runs that would fail for their transform or their input. 0 if they are not checked."),
  triggers: z.array(changedTriggerSchema).describe("The triggers with a difference or a failure, by attachment id."),
});

export type RecordedDeliveryLine = z.infer<typeof recordedDeliverySchema>;
export type Stop = z.infer<typeof stopSchema>;
export type FiringChange = z.infer<typeof firingChangeSchema>;
export type InputFailure = z.infer<typeof inputFailureSchema>;
export type ChangedTrigger = z.infer<typeof changedTriggerSchema>;
export type SkipReason = z.infer<typeof skipReasonSchema>;
export type Backtest = z.infer<typeof backtestSchema>;
