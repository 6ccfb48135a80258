import { and, desc, eq, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import type { KeyStore } from "../../ports/store/key-store.ts";
import { endKey } from "../shared/key-end.ts";
import { type KeyRow, toKey } from "../shared/key-shapes.ts";
import { insertAudit } from "./audit-store.ts";
import type { PostgresDatabase } from "./database.ts";
import { webhookKey } from "./schema.ts";
import type { Session } from "./session.ts";

export function createKeyStore({ read, write }: PostgresDatabase): KeyStore {
  return {
    createKey: (key, audit) =>
      write(async (session) => {
        const made = await insertKey(session, key);
        if (audit) await insertAudit(session, audit);
        return toKey(made);
      }),
    listKeys: () =>
      read(async ({ db }) =>
        (await db.select().from(webhookKey).orderBy(desc(webhookKey.createdAt), desc(webhookKey.id))).map(toKey),
      ),
    findKeyByHash: (hash) =>
      read(async ({ db }) => {
        const [row] = await db.select().from(webhookKey).where(eq(webhookKey.hash, hash));
        return row ? toKey(row) : null;
      }),
    listKeyCiphertexts: (kind) =>
      read(async ({ db }) => {
        const rows = await db
          .select()
          .from(webhookKey)
          .where(and(eq(webhookKey.kind, kind), isNotNull(webhookKey.ciphertext)))
          .orderBy(desc(webhookKey.createdAt), desc(webhookKey.id));
        return rows.flatMap((row) =>
          row.ciphertext === null ? [] : [{ key: toKey(row), ciphertext: row.ciphertext }],
        );
      }),
    revokeKey: (id, now, audit) =>
      write(async (session) => {
        const revoked = await session.db
          .update(webhookKey)
          .set({ revokedAt: sql`coalesce(${webhookKey.revokedAt}, ${now})` })
          .where(eq(webhookKey.id, id))
          .returning({ id: webhookKey.id });
        if (audit && revoked.length > 0) await insertAudit(session, audit);
        return revoked.length > 0;
      }),
    rotateKey: (p) => write((session) => rotateKey(session, p)),
    touchKey: (id, now) =>
      write(async ({ db }) => {
        const isOlder = or(isNull(webhookKey.lastUsedAt), lt(webhookKey.lastUsedAt, now));
        await db
          .update(webhookKey)
          .set({ lastUsedAt: now })
          .where(and(eq(webhookKey.id, id), isOlder));
      }),
  };
}

async function rotateKey(
  session: Session,
  { id, next, endsAt, now, audit = [] }: Parameters<KeyStore["rotateKey"]>[0],
): ReturnType<KeyStore["rotateKey"]> {
  const { db } = session;
  const [old] = await db.select().from(webhookKey).where(eq(webhookKey.id, id)).for("update");
  if (!old) return { kind: "missing" };
  const ended = endKey(old, { next, endsAt, now });
  if (!ended) return { kind: "taken", old: toKey(old) };
  await db.update(webhookKey).set(ended).where(eq(webhookKey.id, id));
  const made = await insertKey(session, next);
  for (const entry of audit) await insertAudit(session, entry);
  return { kind: "rotated", old: toKey({ ...old, ...ended }), next: toKey(made) };
}

async function insertKey({ db }: Session, key: typeof webhookKey.$inferInsert): Promise<KeyRow> {
  const [made] = await db.insert(webhookKey).values(key).returning();
  if (!made) throw new Error("A key was not written.");
  return made;
}
