import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { AppError } from "../../contract/app-error.ts";
import {
  emailSchema,
  type Invitation,
  passwordSchema,
  personNameSchema,
  type Role,
} from "../../contract/access/person.ts";
import { canJoin } from "../../shared/access/invitations.ts";
import { newId } from "../../domain/ids.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Identity } from "../../ports/identity.ts";
import type { PeopleStore } from "../../ports/store/people-store.ts";
import { type AuditContext, auditOf } from "../access/audit-context.ts";

export const joinRequestSchema = z.strictObject({
  token: z.string().min(1).max(200),
  name: personNameSchema,
  email: emailSchema,
  password: passwordSchema,
});

type JoinRequest = z.infer<typeof joinRequestSchema>;

const hourMs = 60 * 60 * 1000;
/**
 * Lifetimes: a setup link appears in a terminal or a log; an invitation must last until the person reads it. A person
 * who resets a password uses the link immediately.
 */
const lifetimeMs: Record<Invitation["kind"], number> = { setup: hourMs, invitation: 7 * 24 * hourMs, reset: hourMs };
const pathOf: Record<Invitation["kind"], string> = { setup: "setup", invitation: "invite", reset: "reset" };

export interface InvitationDeps {
  store: Pick<PeopleStore, "createInvitation">;
  clock: Clock;
  baseUrl: () => string;
}

/**
 * Creates an invitation link for one person, valid once. `url` is shown only once: the store has only the hash of its
 * token.
 */
export function createInvitation(
  deps: InvitationDeps,
  p: { kind: "setup" | "invitation"; role: Role; note: string },
  auditContext: AuditContext,
): Promise<{ invitation: Invitation; url: string }> {
  return createLink(
    deps,
    { ...p, personId: null, auditEntry: (id) => ({ action: "invitation.created", subject: id, detail: { ...p } }) },
    auditContext,
  );
}

/** Creates any link that grants access. `auditEntry`: the audit entry for the link with this id. */
export async function createLink(
  deps: InvitationDeps,
  {
    auditEntry,
    ...p
  }: Pick<Invitation, "kind" | "role" | "note" | "personId"> & {
    auditEntry: (id: string) => Omit<Parameters<typeof auditOf>[1], "now">;
  },
  auditContext: AuditContext,
): Promise<{ invitation: Invitation; url: string }> {
  const now = deps.clock.now();
  const token = generateInvitationToken();
  const id = newId("inv", now);
  const createdBy = auditContext.actor.name ?? auditContext.actor.kind;
  const invitation = await deps.store.createInvitation({
    invitation: {
      ...p,
      id,
      hash: hashInvitationToken(token),
      createdBy,
      createdById: auditContext.personId,
      createdAt: now,
      expiresAt: now + lifetimeMs[p.kind],
    },
    audit: auditOf(auditContext, { ...auditEntry(id), now }),
  });
  return { invitation, url: `${deps.baseUrl()}/${pathOf[p.kind]}/${token}` };
}

/** 256 random bits. */
function generateInvitationToken(): string {
  return randomBytes(32).toString("base64url");
}

export function hashInvitationToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Consumes an invitation and creates the account of the person. Throws AppError `not_found` or `invalid_input`. */
export async function joinByInvitation(
  deps: {
    store: Pick<PeopleStore, "findInvitation" | "acceptInvitation">;
    identity: Pick<Identity, "hashPassword">;
    clock: Clock;
  },
  { token, name, email, password }: JoinRequest,
  address: string | null,
): Promise<void> {
  const hash = hashInvitationToken(token);
  // First, because hashing is expensive: anonymous clients must not cause it.
  const invitation = await deps.store.findInvitation(hash, deps.clock.now());
  if (!invitation || !canJoin(invitation)) throw unusableLink();
  const passwordHash = await deps.identity.hashPassword(password);
  const now = deps.clock.now();
  const id = newId("per", now);
  const outcome = await deps.store.acceptInvitation({
    hash,
    person: { id, name, email, accountId: newId("acc", now), passwordHash },
    now,
    audit: auditOf(
      { actor: { kind: "person", id, name }, address },
      {
        action: "person.joined",
        subject: id,
        detail: { email, role: invitation.role, invitation: invitation.id },
        now,
      },
    ),
  });
  if (outcome === "unusable") throw unusableLink();
  if (outcome === "email-taken") {
    const message = "This address already has an account. Sign in, or use another address.";
    throw new AppError("invalid_input", message, { errors: [{ pointer: "/email", code: "taken", message }] });
  }
}

export function unusableLink(): AppError {
  return new AppError(
    "not_found",
    "This link has been used, has expired or was withdrawn. Ask its sender for another one.",
  );
}
