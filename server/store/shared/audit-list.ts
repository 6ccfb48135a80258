import { type Column, and, eq, gte, lt, or, type SQL } from "drizzle-orm";
import { auditActionSchema, type AuditEntry } from "../../contract/access/audit.ts";
import type { AuditStore } from "../../ports/store/people-store.ts";
import type { Position } from "./cursor.ts";
import { toIso } from "./iso-time.ts";

type AuditFilter = Parameters<AuditStore["listAudit"]>[0];
type AuditRow = Pick<AuditEntry, "id" | "subject" | "address" | "detail"> & {
  at: number;
  action: string;
  actorKind: AuditEntry["actor"]["kind"];
  actorId: string | null;
  actorName: string | null;
};

/** What a filter and a cursor ask of an entry. */
export function auditCondition(
  entry: Readonly<Record<"id" | "at" | "action" | "actorId", Column>>,
  filter: AuditFilter,
  after: Position | null,
): SQL | undefined {
  return and(
    filter.action ? eq(entry.action, filter.action) : undefined,
    filter.actorId ? eq(entry.actorId, filter.actorId) : undefined,
    filter.since === undefined ? undefined : gte(entry.at, filter.since),
    filter.until === undefined ? undefined : lt(entry.at, filter.until),
    after ? or(lt(entry.at, after.at), and(eq(entry.at, after.at), lt(entry.id, after.id))) : undefined,
  );
}

export function toAuditEntry({
  id,
  at,
  action,
  actorKind,
  actorId,
  actorName,
  subject,
  address,
  detail,
}: AuditRow): AuditEntry {
  return {
    id,
    at: toIso(at),
    action: auditActionSchema.parse(action),
    actor: { kind: actorKind, id: actorId, name: actorName },
    subject,
    address,
    detail,
  };
}
