import { and, desc, eq, gte, lt, or } from "drizzle-orm";
import { auditActionSchema, type AuditEntry } from "../../contract/audit.ts";
import type { AuditStore, NewAuditEntry } from "../../ports/people-store.ts";
import { readPageRequest, toPage } from "../shared/cursor.ts";
import { toIso } from "../shared/iso-time.ts";
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
          .limit(limit + 1);
        return toPage(rows, { limit, position: ({ at, id }) => ({ at, id }), shape: toAuditEntry });
      }),
  };
}

/** For verbs that write down what they do in their own transaction. */
export async function insertAudit({ db }: Session, { actor, ...entry }: NewAuditEntry): Promise<void> {
  await db.insert(auditEntry).values({ ...entry, actorKind: actor.kind, actorId: actor.id, actorName: actor.name });
}

function toAuditEntry(row: typeof auditEntry.$inferSelect): AuditEntry {
  const { id, subject, address, detail } = row;
  const actor = { kind: row.actorKind, id: row.actorId, name: row.actorName };
  return { id, at: toIso(row.at), action: auditActionSchema.parse(row.action), actor, subject, address, detail };
}
