import { and, desc, eq, gte, lt, or } from "drizzle-orm";
import { auditActionSchema, type AuditEntry } from "../../contract/audit.ts";
import type { AuditStore, NewAuditEntry } from "../../ports/people-store.ts";
import { readPageRequest, toPage } from "../shared/cursor.ts";
import { toIso } from "../shared/iso-time.ts";
import type { SqliteDatabase } from "./database.ts";
import { auditEntry } from "./schema.ts";

export function createAuditStore(database: SqliteDatabase): AuditStore {
  const { db, read, write } = database;
  const insert = prepareInsertAudit(database);
  return {
    recordAudit: (entry) => write(() => insert(entry)),
    listAudit: (filter, page) =>
      read(() => {
        const { limit, after } = readPageRequest(page);
        const rows = db
          .select()
          .from(auditEntry)
          .where(
            and(
              filter.action ? eq(auditEntry.action, filter.action) : undefined,
              filter.actorId ? eq(auditEntry.actorId, filter.actorId) : undefined,
              filter.since === undefined ? undefined : gte(auditEntry.at, filter.since),
              filter.until === undefined ? undefined : lt(auditEntry.at, filter.until),
              after ? or(lt(auditEntry.at, after.at), and(eq(auditEntry.at, after.at), lt(auditEntry.id, after.id))) : undefined,
            ),
          )
          .orderBy(desc(auditEntry.at), desc(auditEntry.id))
          .limit(limit + 1)
          .all();
        return toPage(rows, { limit, position: ({ at, id }) => ({ at, id }), shape: toAuditEntry });
      }),
  };
}

/** For verbs that write down what they do in their own transaction. */
export type InsertAudit = (entry: NewAuditEntry) => void;

export function prepareInsertAudit({ db }: SqliteDatabase): InsertAudit {
  return ({ actor, ...entry }) =>
    void db
      .insert(auditEntry)
      .values({ ...entry, actorKind: actor.kind, actorId: actor.id, actorName: actor.name })
      .run();
}

function toAuditEntry(row: typeof auditEntry.$inferSelect): AuditEntry {
  const { id, subject, address, detail } = row;
  const actor = { kind: row.actorKind, id: row.actorId, name: row.actorName };
  return { id, at: toIso(row.at), action: auditActionSchema.parse(row.action), actor, subject, address, detail };
}
