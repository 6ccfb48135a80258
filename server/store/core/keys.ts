import { and, desc, eq, isNotNull, isNull, lt, or, type Placeholder, sql } from "drizzle-orm";
import type { Key } from "../../contract/access/key.ts";
import { planRotation } from "../../shared/access/keys.ts";
import type { KeyStore, NewKey } from "../../ports/store/key-store.ts";
import { toIso, toIsoOrNull } from "../shared/iso-time.ts";
import type { Operation } from "../shared/operation.ts";
import { insertAudit } from "./audit.ts";
import type { StoreDatabase, StoreSession, QueryBuilder } from "./store-database.ts";
import type { CoreTables } from "./tables.ts";

type KeyRow = CoreTables["webhookKey"]["$inferSelect"];

export function createKeyStore({ tables, read, write, prepare }: StoreDatabase): KeyStore {
  const { webhookKey } = tables;
  const newestFirst = [desc(webhookKey.createdAt), desc(webhookKey.id)];
  const findByHash = prepare((db) => keyByHashQuery(db, tables, sql.placeholder("hash")));
  return {
    createKey: (key, audit) =>
      write(function* (session) {
        const created = yield* insertKey(session, key);
        if (audit) yield* insertAudit(session, audit);
        return toKey(created);
      }),
    listKeys: () =>
      read(function* ({ db, rows }) {
        const found = yield* rows(
          db
            .select()
            .from(webhookKey)
            .orderBy(...newestFirst),
        );
        return found.map(toKey);
      }),
    hasUsedKeys: () =>
      read(function* ({ db, rows }) {
        const isUsed = and(eq(webhookKey.kind, "webhook"), isNotNull(webhookKey.lastUsedAt));
        return (yield* rows(db.select({ id: webhookKey.id }).from(webhookKey).where(isUsed).limit(1))).length > 0;
      }),
    async findKeyByHash(hash) {
      const [found] = await findByHash({ hash });
      return found ? toKey(found) : null;
    },
    listKeyCiphertexts: (kind) =>
      read(function* ({ db, rows }) {
        const hasCiphertext = and(eq(webhookKey.kind, kind), isNotNull(webhookKey.ciphertext));
        const query = db
          .select()
          .from(webhookKey)
          .where(hasCiphertext)
          .orderBy(...newestFirst);
        return (yield* rows(query)).flatMap((row) =>
          row.ciphertext === null ? [] : [{ key: toKey(row), ciphertext: row.ciphertext }],
        );
      }),
    revokeKey: (id, now, audit) =>
      write(function* (session) {
        const { db, rows } = session;
        const revoked = yield* rows(
          db
            .update(webhookKey)
            .set({ revokedAt: sql`coalesce(${webhookKey.revokedAt}, ${now})` })
            .where(eq(webhookKey.id, id))
            .returning({ id: webhookKey.id }),
        );
        if (audit && revoked.length > 0) yield* insertAudit(session, audit);
        return revoked.length > 0;
      }),
    rotateKey: ({ id, next, endsAt, now, audit = [] }) =>
      write(function* (session) {
        const { db, lockedRows, run } = session;
        const [old] = yield* lockedRows(db.select().from(webhookKey).where(eq(webhookKey.id, id)));
        if (!old) return { kind: "missing" };
        const change = planRotation(old, { nextId: next.id, endsAt, now });
        if (!change) return { kind: "taken", old: toKey(old) };
        yield* run(db.update(webhookKey).set(change).where(eq(webhookKey.id, id)));
        const created = yield* insertKey(session, next);
        for (const entry of audit) yield* insertAudit(session, entry);
        return { kind: "rotated", old: toKey({ ...old, ...change }), next: toKey(created) };
      }),
    touchKey: (id, now) =>
      write(function* ({ db, run }) {
        const isOlder = or(isNull(webhookKey.lastUsedAt), lt(webhookKey.lastUsedAt, now));
        yield* run(
          db
            .update(webhookKey)
            .set({ lastUsedAt: now })
            .where(and(eq(webhookKey.id, id), isOlder)),
        );
      }),
  };
}

/** Exported for the test of its query plan. */
export function keyByHashQuery(db: QueryBuilder, { webhookKey }: CoreTables, hash: string | Placeholder) {
  return db.select().from(webhookKey).where(eq(webhookKey.hash, hash));
}

function* insertKey({ db, tables: { webhookKey }, rows }: StoreSession, key: NewKey): Operation<KeyRow> {
  const [created] = yield* rows(db.insert(webhookKey).values(key).returning());
  if (!created) throw new Error("The key was not inserted");
  return created;
}

export function toKey(row: KeyRow): Key {
  const { id, kind, name, hint, endpoints, replacedBy, ownerId } = row;
  return {
    id,
    kind,
    name,
    hint,
    endpoints,
    scope: kind === "api" ? row.scope : null,
    createdAt: toIso(row.createdAt),
    expiresAt: toIsoOrNull(row.expiresAt),
    lastUsedAt: toIsoOrNull(row.lastUsedAt),
    revokedAt: toIsoOrNull(row.revokedAt),
    replacedBy,
    ownerId,
  };
}
