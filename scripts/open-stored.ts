import Database from "better-sqlite3";
import { createDecoder, deliveryOutcomeCodes, runStatusCodes } from "../server/domain/stored-codes.ts";
import { type Packed, packedId } from "../server/domain/ids.ts";
import { payloadSql } from "../server/store/sqlite/stored-forms.ts";

const nameOf = (column: string) => `(SELECT text FROM name WHERE name.id = ${column})`;

/**
 * Opens a SQLite store for reading, past the store's own operations. `stored_run` and `stored_delivery` have ids, names
 * and states as text. They are slow to search by those.
 */
export function openStored(file: string): Database.Database {
  const db = new Database(file, { readonly: true, timeout: 10_000 });
  const [runId, deliveryId] = [packedId("run"), packedId("dlv")];
  const statusOf = createDecoder(runStatusCodes);
  const outcomeOf = createDecoder(deliveryOutcomeCodes);
  // Our own rows.
  db.function("run_id", (id) => runId.unpack(id as Packed));
  db.function("delivery_id", (id) => (id === null ? null : deliveryId.unpack(id as Packed)));
  db.function("run_status", (code) => statusOf(Number(code)));
  db.function("delivery_outcome", (code) => outcomeOf(Number(code)));
  db.exec(`
    CREATE TEMP VIEW stored_run AS SELECT seq, run_id(id) AS id, run_status(status) AS status, attempt,
      ${nameOf("run.trigger")} AS trigger, ${nameOf("run.attachment")} AS attachment_id,
      delivery_id((SELECT id FROM main.delivery WHERE delivery.seq = run.delivery)) AS delivery_id, delivery,
      created_at, started_at, finished_at, ${payloadSql} AS payload, output
    FROM main.run;
    CREATE TEMP VIEW stored_delivery AS SELECT seq, delivery_id(id) AS id, ${nameOf("delivery.endpoint")} AS endpoint,
      received_at, delivery_outcome(outcome) AS outcome, headers, verdicts, body
    FROM main.delivery`);
  return db;
}
