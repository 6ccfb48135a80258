import { z } from "zod";
import { createdAt, id, name } from "../fields.ts";
import type { Scope } from "./scope.ts";

export const roleSchema = z.enum(["viewer", "operator", "admin"]).describe("`viewer`, `operator` or `admin`.");

export type Role = z.infer<typeof roleSchema>;

/** A role is a scope that people have. */
export const scopeOfRole: Record<Role, Scope> = { viewer: "read", operator: "operate", admin: "admin" };
export const roleOfScope: Record<Scope, Role> = {
  feed: "viewer",
  read: "viewer",
  operate: "operator",
  admin: "admin",
};

/**
 * NIST SP 800-63B-4 asks for 15 characters if a password is the only factor. The minimum here is 12, because people are
 * invited and sign-in is throttled.
 */
export const passwordSchema = z
  .string()
  .min(12, "Password must have at least 12 characters")
  .max(128, "Password must have at most 128 characters");
export const personNameSchema = z.string().trim().min(1, "Enter a name").max(100);
export const emailSchema = z.string().trim().toLowerCase().max(254).pipe(z.email("Must be an email address"));

export const personSchema = z.object({
  id,
  name,
  email: z.string().describe("The email address."),
  role: roleSchema,
  createdAt: z.iso.datetime().describe("When the person joined."),
  /** When the newest of their open sessions began or was last seen. */
  lastSeenAt: z.iso
    .datetime()
    .nullable()
    .describe("When the person was last active. `null`: there is no open session."),
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

/** A session as the app lists it. */
export interface SessionRow extends PersonSession {
  /** The browser in words: `Firefox on Linux`. */
  device: string;
}

export const invitationSchema = z.object({
  id,
  kind: z
    .enum(["setup", "invitation", "reset"])
    .describe("`setup`: for the first admin. `invitation`: for another person. `reset`: for a new password."),
  role: roleSchema,
  note: z.string().describe("The note of the person who created it. For a `reset`, the email address."),
  personId: z.string().nullable().describe("Id of the person whose password it sets. `null`: it creates an account."),
  createdBy: z.string().describe("Name of the creator."),
  createdAt,
  expiresAt: z.iso.datetime().describe("When it expires."),
});

export type Invitation = z.infer<typeof invitationSchema>;
