import { and, desc, eq, gte, lt, or, type SQL } from "drizzle-orm";
import { auditActionSchema, type AuditEntry } from "../../contract/access/audit.ts";
import type { AuditStore, NewAuditEntry } from "../../ports/store/people-store.ts";
import { type Position, readPageRequest, toPage } from "../shared/lists/cursor.ts";
import { toIso } from "../shared/iso-time.ts";
import type { Operation } from "../shared/operation.ts";
import type { StoreDatabase, StoreSession } from "./store-database.ts";
import type { CoreTables } from "./tables.ts";

type AuditFilter = Parameters<AuditStore["listAudit"]>[0];

export function createAuditStore({ tables: { auditEntry }, read, write }: StoreDatabase): AuditStore {
  return {
    recordAudit: (entry) => write((session) => insertAudit(session, entry)),
    listAudit: (filter, page) =>
      read(function* ({ db, rows }) {
        const { limit, after } = readPageRequest(page);
        const found = yield* rows(
          db
            .select()
            .from(auditEntry)
            .where(auditCondition(auditEntry, filter, after))
            .orderBy(desc(auditEntry.at), desc(auditEntry.id))
            .limit(limit + 1),
        );
        return toPage(found, { limit, position: ({ at, id }) => ({ at, id }), shape: toAuditEntry });
      }),
  };
}

/** For operations that write their audit entry in their own transaction. */
export function* insertAudit(
  { db, tables: { auditEntry }, run }: StoreSession,
  { actor, ...entry }: NewAuditEntry,
): Operation<void> {
  yield* run(
    db.insert(auditEntry).values({ ...entry, actorKind: actor.kind, actorId: actor.id, actorName: actor.name }),
  );
}

function auditCondition(
  entry: CoreTables["auditEntry"],
  { action, actorId, since, until }: AuditFilter,
  after: Position | null,
): SQL | undefined {
  return and(
    action ? eq(entry.action, action) : undefined,
    actorId ? eq(entry.actorId, actorId) : undefined,
    since === undefined ? undefined : gte(entry.at, since),
    until === undefined ? undefined : lt(entry.at, until),
    after ? or(lt(entry.at, after.at), and(eq(entry.at, after.at), lt(entry.id, after.id))) : undefined,
  );
}

function toAuditEntry(row: CoreTables["auditEntry"]["$inferSelect"]): AuditEntry {
  const { id, at, action, actorKind, actorId, actorName, subject, address, detail } = row;
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
