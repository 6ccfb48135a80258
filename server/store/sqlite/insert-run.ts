import { sql } from "drizzle-orm";
import type { NewRun } from "../../ports/store/run-store.ts";
import { tokensAtStart } from "../shared/tokens-at-start.ts";
import type { SqliteDatabase } from "./database.ts";
import { prepareInsert } from "./prepare-insert.ts";
import type { QueueRoom } from "./queue-room.ts";
import { run } from "./schema.ts";
import type { AddEntry } from "./timeline.ts";

export type InsertRun = (newRun: NewRun) => void;

/** Records a queued run with its first timeline entry. */
export function prepareInsertRun(
  { db, connection }: SqliteDatabase,
  p: { addEntry: AddEntry; room: QueueRoom },
): InsertRun {
  const query = db.insert(run).values({
    id: sql.placeholder("id"),
    status: "queued",
    trigger: sql.placeholder("trigger"),
    attachmentId: sql.placeholder("attachmentId"),
    targetKind: sql.placeholder("targetKind"),
    targetSlug: sql.placeholder("targetSlug"),
    target: sql.placeholder("target"),
    deliveryId: sql.placeholder("deliveryId"),
    startedBy: sql.placeholder("startedBy"),
    replayOf: sql.placeholder("replayOf"),
    keyId: sql.placeholder("keyId"),
    version: sql.placeholder("version"),
    maxAttempts: sql.placeholder("maxAttempts"),
    createdAt: sql.placeholder("createdAt"),
    availableAt: sql.placeholder("createdAt"),
    payload: sql.placeholder("payload"),
    input: sql.placeholder("input"),
    tokens: sql.placeholder("tokens"),
  });
  const insert = prepareInsert(connection, query);
  return (newRun) => {
    const { kind, slug } = newRun.target;
    const target = `${kind}:${slug}`;
    insert({ ...newRun, targetKind: kind, targetSlug: slug, target, tokens: tokensAtStart(kind) });
    p.room.added(target);
    p.addEntry(newRun.id, { at: newRun.createdAt, kind: "queued", attempt: 0 });
  };
}
