import { and, desc, eq, isNotNull, isNull, lt, or, type Placeholder, sql } from "drizzle-orm";
import type { KeyStore } from "../../ports/store/key-store.ts";
import { endKey } from "../shared/key-end.ts";
import { toKey } from "../shared/key-shapes.ts";
import type { InsertAudit } from "./audit-store.ts";
import type { SqliteDatabase } from "./database.ts";
import { webhookKey } from "./schema.ts";

export function createKeyStore(database: SqliteDatabase, insertAudit: InsertAudit): KeyStore {
  const { db, read, write } = database;
  // Asked for every webhook: making and preparing the query each time would take longer than all the rest of an accept.
  const findByHash = findKeyByHashQuery(database, sql.placeholder("hash")).prepare();
  return {
    createKey: (key, audit) =>
      write(() => {
        const row = db.insert(webhookKey).values(key).returning().get();
        if (audit) insertAudit(audit);
        return toKey(row);
      }),
    listKeys: () =>
      read(() =>
        db.select().from(webhookKey).orderBy(desc(webhookKey.createdAt), desc(webhookKey.id)).all().map(toKey),
      ),
    findKeyByHash: (hash) =>
      read(() => {
        const row = findByHash.get({ hash });
        return row ? toKey(row) : null;
      }),
    listKeyCiphertexts: (kind) =>
      read(() =>
        db
          .select()
          .from(webhookKey)
          .where(and(eq(webhookKey.kind, kind), isNotNull(webhookKey.ciphertext)))
          .orderBy(desc(webhookKey.createdAt), desc(webhookKey.id))
          .all()
          .flatMap((row) => (row.ciphertext === null ? [] : [{ key: toKey(row), ciphertext: row.ciphertext }])),
      ),
    revokeKey: (id, now, audit) =>
      write(() => {
        const { changes } = db
          .update(webhookKey)
          .set({ revokedAt: sql`coalesce(${webhookKey.revokedAt}, ${now})` })
          .where(eq(webhookKey.id, id))
          .run();
        if (audit && changes > 0) insertAudit(audit);
        return changes > 0;
      }),
    rotateKey: ({ id, next, endsAt, now, audit = [] }) =>
      write(() => {
        const old = db.select().from(webhookKey).where(eq(webhookKey.id, id)).get();
        if (!old) return { kind: "missing" };
        const ended = endKey(old, { next, endsAt, now });
        if (!ended) return { kind: "taken", old: toKey(old) };
        db.update(webhookKey).set(ended).where(eq(webhookKey.id, id)).run();
        const made = db.insert(webhookKey).values(next).returning().get();
        audit.forEach(insertAudit);
        return { kind: "rotated", old: toKey({ ...old, ...ended }), next: toKey(made) };
      }),
    touchKey: (id, now) =>
      write(() => {
        const isOlder = or(isNull(webhookKey.lastUsedAt), lt(webhookKey.lastUsedAt, now));
        db.update(webhookKey)
          .set({ lastUsedAt: now })
          .where(and(eq(webhookKey.id, id), isOlder))
          .run();
      }),
  };
}

/** Apart, so that a test can look at its plan. */
export function findKeyByHashQuery({ db }: SqliteDatabase, hash: string | Placeholder) {
  return db.select().from(webhookKey).where(eq(webhookKey.hash, hash));
}
