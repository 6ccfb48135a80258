import type { Json } from "../../server/contract/json.ts";
import { newId } from "../../server/domain/ids.ts";
import { planCopy } from "../../server/store/copy/copy-plan.ts";
import type { Value } from "../../server/store/copy/row.ts";
import { createSqliteTables } from "../../server/store/copy/sqlite-tables.ts";
import { createDatabase } from "../../server/store/sqlite/database.ts";
import { rebuildListIndex } from "../../server/store/sqlite/lists/list-index.ts";
import { prepareInsertDelivery } from "../../server/store/sqlite/deliveries/delivery-store.ts";
import { createTrafficTally, prepareFoldTraffic } from "../../server/store/sqlite/deliveries/traffic-log.ts";
import { type Connection, openConnection } from "../../server/store/sqlite/file/open-connection.ts";
import { makeDelivery } from "./make-delivery.ts";
import { type EventRow, makeRun, type RunRow } from "./make-run.ts";
import type { PlannedProject, PlannedTrigger } from "./plan-project.ts";
import { createRandom } from "./random.ts";

export interface StorePlan {
  runs: number;
  deliveries: number;
  /** The time of the newest delivery. The oldest is 30 days older. */
  now: number;
}

export interface Written {
  deliveries: number;
  runs: number;
}

/** Runs that can be replayed. */
interface Origin {
  deliveryId: string;
  runId: string;
  trigger: PlannedTrigger;
}

const days30 = 30 * 24 * 3_600_000;
const batch = 2000;
const versions = 12;

/** Fills the store in order of time. Its indexes are created afterwards. */
export async function writeStore(
  file: string,
  project: PlannedProject,
  p: StorePlan & { onProgress: (written: Written) => void },
): Promise<Written> {
  const connection = await openConnection(file);
  for (const pragma of ["journal_mode = OFF", "synchronous = OFF", "foreign_keys = OFF", "cache_size = -400000"])
    connection.pragma(pragma);
  const restoreIndexes = dropIndexes(connection);
  const written: Written = { deliveries: 0, runs: 0 };
  const writeBatch = prepareBatch(connection, project, p, written);
  while (written.deliveries < p.deliveries) {
    writeBatch(Math.min(batch, p.deliveries - written.deliveries));
    p.onProgress(written);
  }
  rebuildListIndex(connection);
  restoreIndexes();
  connection.pragma("journal_mode = WAL");
  connection.close();
  return written;
}

function prepareBatch(
  connection: Connection,
  project: PlannedProject,
  p: StorePlan,
  written: Written,
): (size: number) => void {
  const random = createRandom(p.runs + p.deliveries);
  const tally = createTrafficTally(connection);
  const database = createDatabase(connection, () => Promise.reject(new Error("the seed writes by itself")));
  const fold = prepareFoldTraffic(connection);
  const insertDelivery = prepareInsertDelivery(database, tally.add);
  const insertRun = prepareInsertRun(connection);
  let earlier: Origin | null = null;

  function writeOne(): void {
    const share = (written.deliveries + 1) / p.deliveries;
    const at = Math.floor(p.now - days30 * (1 - share)) - random.between(0, 50);
    const due = p.runs * share - written.runs;
    const made = makeDelivery(project, random, { at, mayStart: due > 0, earlier: earlier?.deliveryId ?? null });
    insertDelivery(made.delivery);
    written.deliveries += 1;
    const common = {
      version: `v${Math.floor(share * (versions - 0.001))}`,
      at,
      isOpen: p.deliveries - written.deliveries < 200,
    };
    for (const { trigger, runId } of made.matched) {
      insertRun(
        makeRun(
          {
            ...common,
            id: runId,
            trigger,
            deliveryId: made.delivery.id,
            startedBy: "webhook",
            replayOf: null,
            payload: made.payload,
          },
          random,
        ),
      );
      written.runs += 1;
      if (earlier === null || random.next() < 0.2) earlier = { deliveryId: made.delivery.id, runId, trigger };
    }
    const origin = earlier;
    if (origin !== null)
      while (written.runs + 5 < p.runs * share) writeOther(origin, { ...common, payload: made.payload });
  }

  function writeOther(origin: Origin, common: { version: string; at: number; isOpen: boolean; payload: Json }): void {
    const how =
      random.next() < 0.5
        ? ({ startedBy: "replay", replayOf: origin.runId, deliveryId: origin.deliveryId } as const)
        : ({ startedBy: "api", replayOf: null, deliveryId: null } as const);
    insertRun(makeRun({ ...common, ...how, id: newId("run", common.at), trigger: origin.trigger }, random));
    written.runs += 1;
  }

  return connection.transaction((size: number) => {
    tally.begin();
    for (let n = 0; n < size; n += 1) writeOne();
    tally.write();
    while (fold());
  });
}

/** Runs as they are copied from other stores. */
function prepareInsertRun(connection: Connection): (made: { row: RunRow; events: EventRow[] }) => void {
  const tables = createSqliteTables(connection);
  const prepareInsert = (name: string) => {
    const table = planCopy().find((one) => one.name === name);
    if (!table) throw new Error(`No table ${name} is copied.`);
    return (row: Readonly<Record<string, Value>>) =>
      tables.of(table).insert(table.columns.map((column) => row[column.name] ?? null));
  };
  const [insertRun, insertEvent] = [prepareInsert("run"), prepareInsert("run_event")];
  return ({ row, events }) => {
    insertRun({
      ...row,
      is_resuming: false,
      is_isolated: false,
      crashes: 0,
      attempts_before: 0,
      progress_seq: 0,
      depth: 0,
      is_parent: false,
    });
    for (const [at, event] of events.entries()) insertEvent({ ...event, ordinal: at + 1 });
  };
}

/** Drops all indexes except those that inserts need. Returns the statements that create them again. */
function dropIndexes(connection: Connection): () => void {
  const indexes = connection
    .prepare<unknown[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL",
    )
    .all()
    .filter(({ name }) => !/_by_(?:id|text)$/.test(name));
  for (const { name } of indexes) connection.exec(`DROP INDEX ${name}`);
  return () => {
    for (const { sql } of indexes) connection.exec(sql);
  };
}
