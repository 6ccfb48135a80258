import { z } from "zod";
import { jsonSchema } from "../json.ts";
import { type AuditAction, auditActions } from "./audit-actions.ts";

export const auditActionSchema = z.enum(Object.keys(auditActions) as [AuditAction, ...AuditAction[]]);

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

/** An entry as the app lists it. */
export interface AuditRow extends AuditEntry {
  /** The actor in words. */
  actorText: string;
  /** The details in one line: `role: admin, note: Ada`. */
  detailText: string;
  /** The page that it is about; `null`: it has none. */
  href: string | null;
}
