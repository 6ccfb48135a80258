import { desc } from "drizzle-orm";
import type { AuditStore, NewAuditEntry } from "../../ports/store/people-store.ts";
import { auditCondition, toAuditEntry } from "../shared/audit-list.ts";
import { readPageRequest, toPage } from "../shared/cursor.ts";
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
          .where(auditCondition(auditEntry, filter, after))
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
