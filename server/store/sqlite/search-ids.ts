import type { DeliverySummary } from "../../contract/delivery.ts";
import type { RunSummary } from "../../contract/run.ts";
import type { TrafficStore } from "../../ports/store/traffic-store.ts";
import { toDeliverySummary } from "../shared/delivery-shapes.ts";
import { readIdText } from "../shared/id-text.ts";
import { toRunSummary } from "../shared/run-shapes.ts";
import type { SqliteDatabase } from "./database.ts";
import { readDeliveryRows } from "./list-deliveries.ts";
import { runRowsQuery } from "./list-runs.ts";

const newest = 10_000;

interface IdQueries {
  begin: string;
  end: string;
}

/** Ids sort by the time they were made: those that begin so are the end of a stretch of the primary key. */
function queriesOf(table: "run" | "delivery", at: string): IdQueries {
  return {
    begin: `SELECT id FROM ${table} WHERE id >= @text AND id < @end ORDER BY id DESC LIMIT @limit`,
    end: `
      SELECT id FROM (SELECT id FROM ${table} INDEXED BY ${table}_by_time ORDER BY ${at} DESC, id DESC LIMIT ${newest})
      WHERE upper(substr(id, -length(@text))) = @text LIMIT @limit`,
  };
}

export const searchIdsSql = { run: queriesOf("run", "created_at"), delivery: queriesOf("delivery", "received_at") };

type SearchRequest = Parameters<TrafficStore["searchIds"]>[0];

export function searchIds(
  database: SqliteDatabase,
  p: SearchRequest,
): { runs: RunSummary[]; deliveries: DeliverySummary[] } {
  if (p.text === "") return { runs: [], deliveries: [] };
  const runIds = findIds(database, { ...p, table: "run", prefix: "run_" });
  const deliveryIds = findIds(database, { ...p, table: "delivery", prefix: "dlv_" });
  return {
    runs: runRowsQuery(database, runIds).all().map(toRunSummary),
    deliveries: readDeliveryRows(database, deliveryIds).map(toDeliverySummary),
  };
}

function findIds(
  { connection }: SqliteDatabase,
  p: { table: "run" | "delivery"; prefix: string } & SearchRequest,
): string[] {
  const { begin, end, ending } = readIdText(p.text, p.prefix);
  const queries = searchIdsSql[p.table];
  const begins = connection.prepare<unknown[], string>(queries.begin).pluck().all({ text: begin, end, limit: p.limit });
  const ends =
    ending === null
      ? []
      : connection.prepare<unknown[], string>(queries.end).pluck().all({ text: ending, limit: p.limit });
  return [...new Set([...begins, ...ends])].sort().reverse().slice(0, p.limit);
}
