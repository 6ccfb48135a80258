import { desc, inArray } from "drizzle-orm";
import type { DeliverySummary } from "../../contract/delivery.ts";
import type { RunSummary } from "../../contract/run.ts";
import type { TrafficStore } from "../../ports/store.ts";
import { toDeliverySummary } from "../shared/delivery-shapes.ts";
import { toRunSummary } from "../shared/run-shapes.ts";
import type { SqliteDatabase } from "./database.ts";
import { deliverySummaryColumns } from "./list-deliveries.ts";
import { runSummaryColumns } from "./list-runs.ts";
import { delivery, run } from "./schema.ts";

const newest = 10_000;

/** Ids sort by the time they were made: those that begin so are the end of a range of the primary key. */
const idsThatBeginSql = (table: "run" | "delivery") => `SELECT id FROM ${table} WHERE id >= @text AND id < @end ORDER BY id DESC LIMIT @limit`;

const idsThatEndSql = (table: "run" | "delivery") => {
  const at = table === "run" ? "created_at" : "received_at";
  return `
    SELECT id FROM (SELECT id FROM ${table} INDEXED BY ${table}_by_time ORDER BY ${at} DESC, id DESC LIMIT ${newest})
    WHERE substr(id, -length(@text)) = @text LIMIT @limit`;
};

export const searchIdsSql = {
  run: { begin: idsThatBeginSql("run"), end: idsThatEndSql("run") },
  delivery: { begin: idsThatBeginSql("delivery"), end: idsThatEndSql("delivery") },
};

type SearchRequest = Parameters<TrafficStore["searchIds"]>[0];

export function searchIds(database: SqliteDatabase, p: SearchRequest): { runs: RunSummary[]; deliveries: DeliverySummary[] } {
  const { db } = database;
  const runIds = findIds(database, "run", p);
  const deliveryIds = findIds(database, "delivery", p);
  return {
    runs: db.select(runSummaryColumns).from(run).where(inArray(run.id, runIds)).orderBy(desc(run.id)).all().map(toRunSummary),
    deliveries: db
      .select(deliverySummaryColumns)
      .from(delivery)
      .where(inArray(delivery.id, deliveryIds))
      .orderBy(desc(delivery.id))
      .all()
      .map(toDeliverySummary),
  };
}

function findIds({ connection }: SqliteDatabase, table: "run" | "delivery", { text, limit }: SearchRequest): string[] {
  if (text === "") return [];
  const { begin, end } = searchIdsSql[table];
  const begins = connection.prepare<unknown[], string>(begin).pluck().all({ text, end: `${text}\u{10ffff}`, limit });
  const ends = connection.prepare<unknown[], string>(end).pluck().all({ text, limit });
  return [...new Set([...begins, ...ends])].sort().reverse().slice(0, limit);
}
