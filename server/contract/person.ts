import { z } from "zod";
import type { Scope } from "./scope.ts";

export const roleSchema = z.enum(["viewer", "operator", "admin"]);

export type Role = z.infer<typeof roleSchema>;

/** A role is a scope that people have. */
export const scopeOfRole: Record<Role, Scope> = { viewer: "read", operator: "operate", admin: "admin" };
export const roleOfScope: Record<Scope, Role> = { read: "viewer", operate: "operator", admin: "admin" };

/**
 * As long as NIST SP 800-63B-4 asks of a password that stands alone is 15; 12 is our floor, as people here are invited
 * and sign-in is throttled.
 */
export const passwordSchema = z
  .string()
  .min(12, "A password has 12 characters or more")
  .max(128, "A password has 128 characters at most");
export const personNameSchema = z.string().trim().min(1, "A name is needed").max(100);
export const emailSchema = z.string().trim().toLowerCase().max(254).pipe(z.email("This is not an e-mail address"));

export const personSchema = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  role: roleSchema,
  createdAt: z.iso.datetime(),
  /** When the newest of their open sessions began or was last seen. */
  lastSeenAt: z.iso.datetime().nullable(),
});

export type Person = z.infer<typeof personSchema>;

const sessionSchema = z.object({
  id: z.string(),
  personId: z.string(),
  createdAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  address: z.string().nullable(),
  userAgent: z.string().nullable(),
});

export type PersonSession = z.infer<typeof sessionSchema>;

export const invitationSchema = z.object({
  id: z.string(),
  /** `setup`: made on the machine itself. `reset`: sets a new password of somebody who is here already. */
  kind: z.enum(["setup", "invitation", "reset"]),
  role: roleSchema,
  /** Whom it is for, as who made it wrote; of a `reset` their e-mail address. */
  note: z.string(),
  /** Whose password a `reset` sets. */
  personId: z.string().nullable(),
  createdBy: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});

export type Invitation = z.infer<typeof invitationSchema>;
