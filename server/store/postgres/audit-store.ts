import { desc } from "drizzle-orm";
import type { AuditStore, NewAuditEntry } from "../../ports/store/people-store.ts";
import { auditCondition, toAuditEntry } from "../shared/audit-list.ts";
import { readPageRequest, toPage } from "../shared/cursor.ts";
import type { PostgresDatabase } from "./database.ts";
import { auditEntry } from "./schema.ts";
import type { Session } from "./session.ts";

export function createAuditStore({ read, write }: PostgresDatabase): AuditStore {
  return {
    recordAudit: (entry) => write((session) => insertAudit(session, entry)),
    listAudit: (filter, page) =>
      read(async ({ db }) => {
        const { limit, after } = readPageRequest(page);
        const rows = await db
          .select()
          .from(auditEntry)
          .where(auditCondition(auditEntry, filter, after))
          .orderBy(desc(auditEntry.at), desc(auditEntry.id))
          .limit(limit + 1);
        return toPage(rows, { limit, position: ({ at, id }) => ({ at, id }), shape: toAuditEntry });
      }),
  };
}

/** For verbs that write down what they do in their own transaction. */
export async function insertAudit({ db }: Session, { actor, ...entry }: NewAuditEntry): Promise<void> {
  await db.insert(auditEntry).values({ ...entry, actorKind: actor.kind, actorId: actor.id, actorName: actor.name });
}
