import { z } from "zod";
import { id } from "../fields.ts";
import { jsonSchema } from "../json.ts";
import { type AuditAction, auditActions } from "./audit-actions.ts";

export const auditActionSchema = z.enum(Object.keys(auditActions) as [AuditAction, ...AuditAction[]]);

/**
 * The actor. `machine`: the command line on the machine itself, or any client in development. `anonymous`: an
 * unauthenticated client.
 */
export const auditActorSchema = z.object({
  kind: z
    .enum(["person", "token", "webhook", "machine", "anonymous"])
    .describe("`machine`: the command line on the machine itself, or any client in development."),
  id: z.string().nullable().describe("Id of the person or the key."),
  name: z.string().nullable().describe("Name of the person or the key at that time."),
});

export type AuditActor = z.infer<typeof auditActorSchema>;

export const auditEntrySchema = z.object({
  id,
  at: z.iso.datetime().describe("When it happened."),
  action: auditActionSchema.describe("The action, as `subject.verb`."),
  actor: auditActorSchema,
  subject: z.string().nullable().describe("Id or name of what it was done to."),
  address: z.string().nullable().describe("Network address of the client."),
  detail: jsonSchema.describe("Facts about the action."),
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
