import { z } from "zod";
import { jsonSchema } from "../json.ts";

/** Every action in the audit log, as `subject.verb` in the past tense. */
export const auditActionSchema = z.enum([
  "session.started",
  "session.rejected",
  "session.ended",
  "person.joined",
  "person.role-changed",
  "person.removed",
  "person.password-changed",
  "person.reset-link-created",
  "person.password-reset",
  "invitation.created",
  "invitation.revoked",
  "key.created",
  "key.shown",
  "key.rotated",
  "key.revoked",
  "run.started",
  "run.canceled",
  "run.resumed",
  "run.replayed",
  "run.revealed",
  "approval.decided",
  "delivery.sent",
  "delivery.redelivered",
  "delivery.released",
  "delivery.revealed",
  "feed.opened",
  "trigger.disabled",
  "trigger.enabled",
  "build.rolled-back",
  "preset.saved",
  "preset.removed",
  "alert.tested",
]);

export type AuditAction = z.infer<typeof auditActionSchema>;

/**
 * The actor. `machine`: the command line on the machine itself, or any client in development. `anonymous`: an
 * unauthenticated client.
 */
export const auditActorSchema = z.object({
  kind: z.enum(["person", "token", "webhook", "machine", "anonymous"]),
  /** Of the person or the key. */
  id: z.string().nullable(),
  /** As they were called then. */
  name: z.string().nullable(),
});

export type AuditActor = z.infer<typeof auditActorSchema>;

export const auditEntrySchema = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  action: auditActionSchema,
  actor: auditActorSchema,
  /** Id or name of the subject. */
  subject: z.string().nullable(),
  /** Network address that it came from. */
  address: z.string().nullable(),
  detail: jsonSchema,
});

export type AuditEntry = z.infer<typeof auditEntrySchema>;
