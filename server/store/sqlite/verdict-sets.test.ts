import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { listVerdicts } from "../../domain/deliveries/verdict-list.ts";
import type { Store } from "../../ports/store.ts";
import { aDelivery, folded, someCommon } from "../testing/factories.ts";
import { createDatabase } from "./database.ts";
import { createDeliveryStore } from "./delivery-store.ts";
import { type Connection, openConnection } from "./open-connection.ts";
import { openSqliteStore } from "./open-store.ts";
import { createQueueRoom } from "./queue-room.ts";
import { removeUnusedSql } from "./verdict-sets.ts";

let folder: string;
let store: Store;
let other: Store;
let connection: Connection;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-sets-"));
  const file = join(folder, "ledger.db");
  [store, other] = [await openSqliteStore({ file }), await openSqliteStore({ file })];
  connection = await openConnection(file);
});
afterEach(async () => {
  await store.close();
  await other.close();
  connection.close();
  rmSync(folder, { recursive: true, force: true });
});

const countSets = () => connection.prepare("SELECT count(*) FROM verdict_set").pluck().get();

it("keeps a list once, in how many transactions, processes and objects it may come", async () => {
  const common = someCommon();
  const made = [common, common, someCommon()].map((one) => aDelivery({ verdicts: folded(one) }));
  for (const [n, delivery] of made.entries()) await (n < 2 ? store : other).recordDelivery(delivery);
  await Promise.all([
    store.recordDelivery(aDelivery({ verdicts: folded(common) })),
    other.recordDelivery(aDelivery({ verdicts: folded(common) })),
  ]);
  expect(countSets()).toBe(1);
  await store.recordDelivery(aDelivery({ verdicts: folded(someCommon(1)) }));
  expect(countSets()).toBe(2);
});

it("removes a list when neither a delivery nor a count has it any more", async () => {
  await store.recordDelivery(aDelivery({ verdicts: folded(someCommon()) }));
  connection.exec("DELETE FROM delivery");
  expect(await store.removeUnusedVerdicts()).toBe(0);
  // As folding leaves it.
  connection.exec("DELETE FROM traffic_log");
  expect(await store.removeUnusedVerdicts()).toBe(1);
  expect(countSets()).toBe(0);
});

it("writes a list anew that another process has removed, and never takes one for another that has its place", async () => {
  const common = someCommon();
  await store.recordDelivery(aDelivery({ verdicts: folded(common) }));
  connection.exec("DELETE FROM delivery; DELETE FROM traffic_log");
  expect(await other.removeUnusedVerdicts()).toBe(1);
  // Ids do not come again by themselves: as a restored file has them.
  connection.exec("DELETE FROM sqlite_sequence WHERE name = 'verdict_set'");
  await other.recordDelivery(aDelivery({ verdicts: folded(someCommon(1)) }));
  const delivery = aDelivery({ verdicts: folded(common) });
  await store.recordDelivery(delivery);
  expect((await store.getDelivery(delivery.id))?.verdicts).toEqual(listVerdicts(delivery.verdicts));
  expect(countSets()).toBe(2);
});

it("lets no list go that a delivery refers to, and finds that out by an index", async () => {
  await store.recordDelivery(aDelivery({ verdicts: folded(someCommon()) }));
  expect(() => connection.exec("DELETE FROM verdict_set")).toThrow(/FOREIGN KEY/);
  const plan = JSON.stringify(connection.prepare(`EXPLAIN QUERY PLAN ${removeUnusedSql}`).all());
  expect(plan).toContain("USING COVERING INDEX delivery_by_verdict_set");
});

it("a delivery is read as it was, with what it has in common with others, while another process removes both", async () => {
  const delivery = aDelivery({ verdicts: folded(someCommon()) });
  await store.recordDelivery(delivery);
  const reading = await openConnection(connection.name);
  const database = createDatabase(reading, async (verb) => verb());
  const { verdictSets } = database;
  let removals = 0;
  const list: typeof verdictSets.list = (stored) => {
    // Between the row and its verdicts.
    connection.exec("DELETE FROM delivery; DELETE FROM verdict_set");
    removals += 1;
    return verdictSets.list(stored);
  };
  const deliveries = createDeliveryStore(
    { ...database, verdictSets: { ...verdictSets, list } },
    {
      insertRun: () => undefined,
      room: createQueueRoom(reading),
      countTraffic: () => undefined,
      queueing: database.write,
    },
  );
  const read = await deliveries.getDelivery(delivery.id);
  expect([read?.verdicts, removals, await deliveries.getDelivery(delivery.id)]).toEqual([
    listVerdicts(delivery.verdicts),
    1,
    null,
  ]);
  reading.close();
});
