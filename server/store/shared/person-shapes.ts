import type { Invitation, Person, PersonSession, Role } from "../../contract/access/person.ts";
import { toIso } from "./iso-time.ts";

export function toPerson({
  row,
  lastSeenAt,
}: {
  row: { id: string; name: string; email: string; role: Role; createdAt: Date };
  lastSeenAt: Date | null;
}): Person {
  const { id, name, email, role } = row;
  return {
    id,
    name,
    email,
    role,
    createdAt: row.createdAt.toISOString(),
    lastSeenAt: lastSeenAt?.toISOString() ?? null,
  };
}

interface SessionRow {
  id: string;
  userId: string;
  createdAt: Date;
  updatedAt: Date;
  expiresAt: Date;
  ipAddress: string | null;
  userAgent: string | null;
}

/** Without the token, which opens it. */
export function toSession(row: SessionRow): PersonSession {
  return {
    id: row.id,
    personId: row.userId,
    createdAt: row.createdAt.toISOString(),
    lastSeenAt: row.updatedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    address: row.ipAddress || null,
    userAgent: row.userAgent || null,
  };
}

interface InvitationRow {
  id: string;
  kind: Invitation["kind"];
  role: Role;
  note: string;
  personId: string | null;
  createdBy: string;
  createdAt: number;
  expiresAt: number;
}

/** Without the hash of what opens it. */
export function toInvitation({
  id,
  kind,
  role,
  note,
  personId,
  createdBy,
  createdAt,
  expiresAt,
}: InvitationRow): Invitation {
  return { id, kind, role, note, personId, createdBy, createdAt: toIso(createdAt), expiresAt: toIso(expiresAt) };
}
