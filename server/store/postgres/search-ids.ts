import type { DeliverySummary } from "../../contract/delivery.ts";
import type { RunSummary } from "../../contract/run.ts";
import type { TrafficStore } from "../../ports/store/traffic-store.ts";
import { toDeliverySummary } from "../shared/delivery-shapes.ts";
import { readIdText } from "../shared/id-text.ts";
import { toRunSummary } from "../shared/run-shapes.ts";
import { readDeliveryRows } from "./list-deliveries.ts";
import { readRunRows } from "./list-runs.ts";
import type { Session } from "./session.ts";
import type { VerdictReader } from "./verdict-sets.ts";

const newest = 10_000;

/** Ids sort by the time they were made: those that begin so are the end of a stretch of the primary key. */
function queriesOf(table: "run" | "delivery", at: string): { begin: string; end: string } {
  return {
    begin: `SELECT id FROM ${table} WHERE id >= $1 AND id < $2 ORDER BY id DESC LIMIT $3`,
    end: `
      SELECT id FROM (SELECT id, ${at} FROM ${table} ORDER BY ${at} DESC, id DESC LIMIT ${newest}) AS newest
      WHERE upper(right(id, length($1))) = $1 ORDER BY ${at} DESC, id DESC LIMIT $2`,
  };
}

const queries = { run: queriesOf("run", "created_at"), delivery: queriesOf("delivery", "received_at") };

type SearchRequest = Parameters<TrafficStore["searchIds"]>[0];

export async function searchIds(
  session: Session,
  verdicts: VerdictReader,
  p: SearchRequest,
): Promise<{ runs: RunSummary[]; deliveries: DeliverySummary[] }> {
  if (p.text === "") return { runs: [], deliveries: [] };
  const runIds = await findIds(session, { ...p, table: "run", prefix: "run_" });
  const deliveryIds = await findIds(session, { ...p, table: "delivery", prefix: "dlv_" });
  return {
    runs: (await readRunRows(session, runIds)).map(toRunSummary),
    deliveries: (await readDeliveryRows(session, verdicts, deliveryIds)).map(toDeliverySummary),
  };
}

async function findIds(
  session: Session,
  { table, prefix, text, limit }: { table: "run" | "delivery"; prefix: string } & SearchRequest,
): Promise<string[]> {
  const { begin, end, ending } = readIdText(text, prefix);
  const begins = await session.rows<{ id: string }>(queries[table].begin, [begin, end, limit]);
  const ends = ending === null ? [] : await session.rows<{ id: string }>(queries[table].end, [ending, limit]);
  const found = [...begins, ...ends].map(({ id }) => id);
  return [...new Set(found)].sort().reverse().slice(0, limit);
}
