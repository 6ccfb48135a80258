import { z } from "zod";
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

const destinationSchema = z.enum(["webhook", "slack"]);

/** `updated`: the count has reached ten times the last reported count. */
const alertMessageTypeSchema = z.enum(["alert.opened", "alert.updated", "alert.resolved"]);

/** A message about an alert to one destination. `id` is the `webhook-id`, the same in every attempt. */
export const alertMessageSchema = z.object({
  id: z.string(),
  type: alertMessageTypeSchema,
  destination: destinationSchema,
  status: z.enum(["pending", "sent", "failed"]),
  attempts: z.int(),
  createdAt: z.iso.datetime(),
  sentAt: z.iso.datetime().nullable(),
  /** Why the last attempt failed, e.g. `status 500`. Never the URL. */
  error: z.string().nullable(),
});

const alertFields = {
  id: z.string(),
  kind: alertKindSchema,
  subject: z.string(),
  status: z.enum(["active", "resolved"]),
  /** One sentence, e.g. `12 runs of workflow welcome-email failed`. */
  title: z.string(),
  /** How often the cause was found: failed runs, mismatches, or runs that left a build. 1 for the other kinds. */
  count: z.int(),
  /** Path of the page in the app that shows the cause. */
  path: z.string(),
  /** Facts about the cause; their names depend on `kind`. */
  detail: z.record(z.string(), jsonSchema),
  openedAt: z.iso.datetime(),
  /** When the cause was last found. */
  lastAt: z.iso.datetime(),
  resolvedAt: z.iso.datetime().nullable(),
};

/** An alert as it is sent. */
const sentAlertSchema = z.object({ ...alertFields, url: z.string() });

/** An alert as it is listed, with its messages, newest first. */
export const alertSchema = z.object({ ...alertFields, messages: z.array(alertMessageSchema) });

/** The result of a test message to one destination. */
export const alertTestSchema = z.object({
  destination: destinationSchema,
  isSent: z.boolean(),
  error: z.string().nullable(),
});

export type AlertKind = z.infer<typeof alertKindSchema>;
export type Destination = z.infer<typeof destinationSchema>;
export type AlertMessageType = z.infer<typeof alertMessageTypeSchema>;
export type AlertMessage = z.infer<typeof alertMessageSchema>;
export type SentAlert = z.infer<typeof sentAlertSchema>;
export type Alert = z.infer<typeof alertSchema>;
export type AlertTest = z.infer<typeof alertTestSchema>;
