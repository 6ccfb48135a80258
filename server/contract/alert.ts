import { z } from "zod";
import { createdAt, id } from "./fields.ts";
import { jsonSchema } from "./json.ts";

/**
 * - `run_failed`: runs of a target failed permanently. `subject`: `workflow:welcome-email`.
 * - `mismatches`: too many deliveries to an endpoint match no `request`. `subject`: the endpoint.
 * - `queue_full`: the queue of a target has reached `maxQueued`. `subject`: `workflow:welcome-email`.
 * - `approval_pending`: a tool call has waited too long for its approval. `subject`: the run's id.
 * - `key_expiring`: a key or a token expires soon. `subject`: its id.
 * - `workers_blocked`: runs are due that no worker can take: none runs, responds or has their version. `subject`: the
 *   pool.
 * - `runs_late`: runs have been due for too long, although workers respond. `subject`: the pool.
 * - `runs_left_build`: runs continued on another build, because no machine has the one that accepted them. `subject`:
 *   that build.
 * - `disk_space`: the disk of the store is almost full. `subject`: the folder of the store.
 * - `store_unavailable`: the store was unavailable. `subject`: the machine.
 */
const alertKindSchema = z.enum([
  "run_failed",
  "mismatches",
  "queue_full",
  "approval_pending",
  "key_expiring",
  "workers_blocked",
  "runs_late",
  "runs_left_build",
  "disk_space",
  "store_unavailable",
]);

const destinationSchema = z.enum(["webhook", "slack"]).describe("Where it is sent.");

/** `updated`: the count has reached ten times the last reported count. */
const alertMessageTypeSchema = z.enum(["alert.opened", "alert.updated", "alert.resolved"]);

/** A message about an alert to one destination. `id` is the `webhook-id`, the same in every attempt. */
export const alertMessageSchema = z.object({
  id: z.string().describe("The `webhook-id`, the same in every attempt."),
  type: alertMessageTypeSchema.describe("What the message is about."),
  destination: destinationSchema,
  status: z.enum(["pending", "sent", "failed"]).describe("Whether it was sent."),
  attempts: z.int().describe("Number of attempts so far."),
  createdAt,
  sentAt: z.iso.datetime().nullable().describe("When it was sent. `null`: it was not."),
  /** Why the last attempt failed, e.g. `status 500`. Never the URL. */
  error: z.string().nullable().describe("Why the last attempt failed. `null`: it did not."),
});

const alertFields = {
  id,
  kind: alertKindSchema.describe("The cause."),
  subject: z.string().describe("What it is about, e.g. `workflow:welcome-email`."),
  status: z.enum(["active", "resolved"]).describe("Whether the cause persists."),
  /** One sentence, e.g. `12 runs of workflow welcome-email failed`. */
  title: z.string().describe("One sentence."),
  /** How often the cause was found: failed runs, mismatches, or runs that left a build. 1 for the other kinds. */
  count: z.int().describe("How often the cause was found."),
  path: z.string().describe("Path of the page that shows the cause."),
  detail: z.record(z.string(), jsonSchema).describe("Facts about the cause, by `kind`."),
  openedAt: z.iso.datetime().describe("When the cause was first found."),
  lastAt: z.iso.datetime().describe("When the cause was last found."),
  resolvedAt: z.iso.datetime().nullable().describe("When it was resolved. `null`: it is active."),
};

/** An alert as it is sent. */
const sentAlertSchema = z.object({ ...alertFields, url: z.string() });

/** An alert as it is listed, with its messages, newest first. */
export const alertSchema = z.object({
  ...alertFields,
  messages: z.array(alertMessageSchema).describe("Its messages, newest first."),
});

/** The result of a test message to one destination. */
export const alertTestSchema = z.object({
  destination: destinationSchema,
  isSent: z.boolean().describe("Whether the destination accepted it."),
  error: z.string().nullable().describe("Why the last attempt failed. `null`: it did not."),
});

export type AlertKind = z.infer<typeof alertKindSchema>;
export type Destination = z.infer<typeof destinationSchema>;
export type AlertMessageType = z.infer<typeof alertMessageTypeSchema>;
export type AlertMessage = z.infer<typeof alertMessageSchema>;
export type SentAlert = z.infer<typeof sentAlertSchema>;
export type Alert = z.infer<typeof alertSchema>;
export type AlertTest = z.infer<typeof alertTestSchema>;
