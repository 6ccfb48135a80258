import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { VerdictOutcome } from "../../contract/delivery.ts";
import type { Store } from "../../ports/store.ts";
import { aDelivery, epoch } from "../testing/factories.ts";
import { sharedVerdictsSql, verdictsWithShared } from "../testing/shared-verdicts.ts";
import { createDatabase } from "./database.ts";
import { createDeliveryStore } from "./delivery-store.ts";
import { prepareFoldTraffic } from "./fold-traffic.ts";
import { type Connection, openConnection } from "./open-connection.ts";
import { openSqliteStore } from "./open-store.ts";
import { createQueueRoom } from "./queue-room.ts";
import { removeUnusedSql } from "./verdict-sets.ts";

let folder: string;
let store: Store;
let connection: Connection;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-sets-"));
  const file = join(folder, "ledger.db");
  store = await openSqliteStore({ file });
  connection = await openConnection(file);
});
afterEach(async () => {
  await store.close();
  connection.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A delivery as an earlier version stored it. */
async function recordShared(given: { deviates?: boolean } = {}): Promise<string> {
  const delivery = aDelivery();
  await store.recordDelivery(delivery);
  connection.exec(sharedVerdictsSql("sqlite", { deliveryId: delivery.id, ...given }));
  return delivery.id;
}

it("deliveries with a shared list have all verdicts, alone and in lists", async () => {
  const [plain, deviating] = [await recordShared(), await recordShared({ deviates: true })];
  const { data } = await store.listDeliveries({}, { limit: 10, cursor: null });
  const found = (await store.searchIds({ text: plain, limit: 1 })).deliveries[0];
  for (const [id, wanted] of [
    [plain, verdictsWithShared()],
    [deviating, verdictsWithShared({ deviates: true })],
  ] as const) {
    expect(await store.getDelivery(id)).toMatchObject({ verdicts: wanted, unlistedVerdicts: [] });
    expect(data.find((one) => one.id === id)?.verdicts).toEqual(wanted);
  }
  expect(found?.verdicts).toEqual(verdictsWithShared());
});

const by = async (trigger: string, ...outcomes: VerdictOutcome[]) =>
  (await store.listDeliveries({ verdict: { trigger, outcomes } }, { limit: 10, cursor: null })).data
    .map(({ id }) => id)
    .sort();

it("they are found by the verdict of each trigger, shared or not", async () => {
  const [plain, deviating] = [await recordShared(), await recordShared({ deviates: true })];
  const both = [plain, deviating].sort();
  expect(await by("stopped-0", "filter_mismatch")).toEqual(both);
  expect(await by("stopped-1", "filter_mismatch", "matched")).toEqual([plain]);
  expect(await by("stopped-1", "request_mismatch")).toEqual([deviating]);
  expect(await by("open", "matched")).toEqual(both);
  expect(await by("open", "filter_mismatch")).toEqual([]);
  expect(await by("stopped", "filter_mismatch")).toEqual([]);
});

it("shared lists that were counted but not folded yet are counted as their verdicts, once for each target", async () => {
  for (const deviates of [false, true, false]) await recordShared({ deviates });
  const window = { since: epoch, until: epoch + 3_600_000, bucketMs: 60_000, endpoints: ["signup"] } as const;
  const counted = async () => {
    const { verdicts, targets } = await store.countVerdicts(window);
    return {
      verdicts: verdicts.map(({ attachmentId, outcome, count }) => `${attachmentId} ${outcome} ${count}`).sort(),
      targets: targets.filter(({ count }) => count > 0).map(({ target, outcome, count }) => [target, outcome, count]),
    };
  };
  const all = {
    verdicts: [
      "open:x matched 3",
      "stopped-0:x filter_mismatch 3",
      "stopped-1:x filter_mismatch 2",
      "stopped-1:x request_mismatch 1",
      "stopped-2:x filter_mismatch 3",
    ],
    targets: [["x", "matched", 3]],
  };
  expect(await counted()).toEqual(all);
  const { verdicts } = createDatabase(connection, () => Promise.reject(new Error("it is only read")));
  connection.transaction(prepareFoldTraffic(connection, verdicts.readShared)).immediate();
  expect(await counted()).toEqual(all);
});

it("a list is removed when neither a delivery nor a count refers to it", async () => {
  await recordShared();
  expect(() => connection.exec("DELETE FROM verdict_set")).toThrow(/FOREIGN KEY/);
  connection.exec("DELETE FROM delivery");
  expect(await store.removeUnusedVerdicts()).toBe(0);
  // As folding leaves it.
  connection.exec("DELETE FROM traffic_log");
  expect(await store.removeUnusedVerdicts()).toBe(1);
  const plan = JSON.stringify(connection.prepare(`EXPLAIN QUERY PLAN ${removeUnusedSql}`).all());
  expect(plan).toContain("USING COVERING INDEX delivery_by_verdict_set");
});

it("a delivery is read with its shared list while another process removes both", async () => {
  const id = await recordShared();
  const reading = await openConnection(connection.name);
  const database = createDatabase(reading, async (verb) => verb());
  let removals = 0;
  const read: typeof database.verdicts.read = (stored) => {
    // Between the row and its verdicts.
    connection.exec("DELETE FROM delivery; DELETE FROM verdict_set");
    removals += 1;
    return database.verdicts.read(stored);
  };
  const deliveries = createDeliveryStore(
    { ...database, verdicts: { ...database.verdicts, read } },
    {
      insertRun: () => undefined,
      room: createQueueRoom(reading),
      countTraffic: () => undefined,
      queueing: database.write,
    },
  );
  const found = await deliveries.getDelivery(id);
  expect([found?.verdicts, removals, await deliveries.getDelivery(id)]).toEqual([verdictsWithShared(), 1, null]);
  reading.close();
});
