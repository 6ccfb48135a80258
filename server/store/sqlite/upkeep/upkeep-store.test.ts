import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Store } from "../../../ports/store.ts";
import { removeOld } from "../../../upkeep/start-upkeep.ts";
import { readPages } from "../../../contract/list.ts";
import { aDelivery, epoch } from "../../testing/factories.ts";
import { type Connection, openConnection } from "../file/open-connection.ts";
import { openSqliteStore } from "../open-store.ts";
import { keysAfterSql, nextCounterSql, removeCountersSql } from "./remove-counters.ts";
import { heldSql } from "../deliveries/held-deliveries.ts";
import { deliveryIsNeededSql, oldDeliveriesSql, oldRunsSql, removeNamesSql } from "./remove-history.ts";
import {
  nthNewestSql,
  removeAuditSql,
  removeSessionsSql,
  removeStartKeysSql,
  removeUnfinishedSignInsSql,
} from "./upkeep-store.ts";

const day = 86_400_000;

let folder: string;
let store: Store;
let web: Store;
let connection: Connection;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-upkeep-"));
  const file = join(folder, "store.db");
  [store, web] = [await openSqliteStore({ file }), await openSqliteStore({ file })];
  connection = await openConnection(file);
});
afterEach(async () => {
  await store.close();
  await web.close();
  connection.close();
  rmSync(folder, { recursive: true, force: true });
});

const remove = (p: Partial<Parameters<typeof removeOld>[0]> = {}) =>
  removeOld({
    store,
    retention: { days: 1, deliveries: null, auditDays: null },
    maxDedupeMs: 0,
    now: epoch,
    pause: async () => true,
    ...p,
  });

const record = (count: number, at: number) =>
  Promise.all(
    Array.from({ length: count }, () =>
      web.recordDelivery(aDelivery({ receivedAt: at, body: Buffer.alloc(6_000, "x") })),
    ),
  );

it("webhooks are accepted between any two batches of removals, and are not removed", async () => {
  await record(1200, epoch - 2 * day);
  let pauses = 0;
  const accepted: string[] = [];
  const counts: number[] = [];
  const pause = async () => {
    pauses += 1;
    const delivery = aDelivery({ receivedAt: epoch });
    expect(await web.acceptDelivery({ delivery, runs: [], idempotency: null })).toEqual({ kind: "accepted" });
    accepted.push(delivery.id);
    counts.push(Number(connection.prepare("SELECT count(*) FROM delivery WHERE received_at < ?").pluck().get(epoch)));
    return true;
  };
  expect(await remove({ pause })).toMatchObject({ deliveries: 1200 });
  expect(pauses).toBeGreaterThan(5);
  const steps = counts.map((count, index) => (counts[index - 1] ?? 1200) - count);
  expect(Math.max(...steps)).toBeLessThanOrEqual(250);
  for (const id of accepted) expect(await web.getDelivery(id)).not.toBeNull();
});

it("the size of the file levels off, and a new file releases the space of removed rows", async () => {
  const pages = () => Number(connection.pragma("page_count", { simple: true }));
  const sizes: number[] = [];
  for (let round = 0; round < 8; round += 1) {
    await record(300, epoch + round * day);
    await remove({ now: epoch + (round + 1) * day + 1 });
    sizes.push(pages());
  }
  const [, , third = 0, , , , , last = 0] = sizes;
  expect(last).toBeLessThanOrEqual(third * 1.1);
  await record(3000, epoch + 10 * day);
  const full = pages();
  await remove({ now: epoch + 30 * day });
  expect(pages()).toBeLessThan(full / 3);
  expect(connection.pragma("integrity_check", { simple: true })).toBe("ok");
});

const left = () =>
  connection
    .prepare<unknown[], number>("SELECT received_at FROM delivery ORDER BY received_at")
    .pluck()
    .all()
    .map((at) => at - epoch);

it("by count, the newest deliveries are kept, and in addition those that a key still refers to", async () => {
  for (let n = 0; n < 6; n += 1)
    await web.acceptDelivery({
      delivery: aDelivery({ receivedAt: epoch + n }),
      runs: [],
      idempotency: n === 0 ? { key: "k", notBefore: 0 } : null,
    });
  const retention = { days: null, deliveries: 2, auditDays: null };
  expect(await remove({ retention, now: epoch + 100 })).toMatchObject({ deliveries: 3 });
  expect(left()).toEqual([0, 4, 5]);
  expect(await remove({ retention, now: epoch + 5 * day, maxDedupeMs: null })).toMatchObject({
    deliveries: 0,
    keys: 0,
  });
  expect(await remove({ retention, now: epoch + 5 * day, maxDedupeMs: 7 * day })).toMatchObject({
    deliveries: 0,
    keys: 0,
  });
  expect(await remove({ retention, now: epoch + 5 * day })).toMatchObject({ deliveries: 1 });
  expect(left()).toEqual([4, 5]);
});

const names = () => connection.prepare("SELECT text FROM name ORDER BY text").pluck().all();

it("without a retention no delivery is removed; with it, names of rejected requests are removed that no delivery has", async () => {
  const rejected = { outcome: "rejected", responseStatus: 404 } as const;
  await web.recordDelivery(aDelivery());
  for (const endpoint of ["no-such", "signup", "not-either"])
    await web.recordDelivery(aDelivery({ ...rejected, endpoint }));
  await web.recordDelivery(aDelivery({ ...rejected, endpoint: "no-such", receivedAt: epoch + 999 * day }));
  expect(
    await remove({ retention: { days: null, deliveries: null, auditDays: null }, now: epoch + 1000 * day }),
  ).toMatchObject({ deliveries: 0 });
  expect(names()).toEqual(["POST", "no-such", "not-either", "signup"]);
  expect(await remove({ now: epoch + 1000 * day })).toMatchObject({ deliveries: 4 });
  expect(names()).toEqual(["POST", "no-such", "signup"]);
  await web.recordDelivery(aDelivery({ ...rejected, endpoint: "not-either" }));
  expect((await web.listDeliveries({ endpoint: "not-either" }, { limit: 10, cursor: null })).data).toHaveLength(1);
});

it("requests without a valid key are removed after a day, those with an invalid signature are not", async () => {
  const rejected = { outcome: "rejected", responseStatus: 401, body: null } as const;
  const kept: string[] = [];
  for (const [code, age] of [
    ["unauthorized", 2 * day],
    ["unauthorized", day / 2],
    ["invalid_signature", 2 * day],
  ] as const)
    for (let n = 0; n < 150; n += 1) {
      const delivery = aDelivery({
        ...rejected,
        endpoint: code === "unauthorized" && age > day ? `guessed-${n}` : "signup",
        problem: { type: "", title: "", status: 401, code, detail: "" },
        receivedAt: epoch - age,
      });
      await web.recordDelivery(delivery);
      if (code !== "unauthorized" || age < day) kept.push(delivery.id);
    }
  expect(await remove({ retention: { days: null, deliveries: null, auditDays: null } })).toMatchObject({
    unauthenticated: 150,
    deliveries: 0,
  });
  const found: string[] = [];
  for await (const { data } of readPages((cursor) => web.listDeliveries({}, { limit: 100, cursor })))
    found.push(...data.map(({ id }) => id));
  expect(found.toSorted()).toEqual(kept.toSorted());
  // A sender can guess any number of endpoints.
  expect(names().filter((name) => String(name).startsWith("guessed-"))).toEqual([]);
});

it("a stop ends it after the current batch", async () => {
  await record(1200, epoch - 2 * day);
  const { deliveries } = await remove({ pause: async () => false });
  expect(deliveries).toBeGreaterThan(0);
  expect(deliveries).toBeLessThan(1200);
});

it.each([
  [
    "what needs a delivery",
    deliveryIsNeededSql,
    { seq: 0, before: 1, keysSince: 1 },
    /SEARCH run USING INDEX run_by_delivery[\s\S]*SEARCH delivery USING INTEGER PRIMARY KEY/,
  ],
  ["keys", keysAfterSql, { endpoint: 0, key: "" }, /SEARCH delivery USING INDEX delivery_by_idempotency_key/],
  ["counters", nextCounterSql, { bucketMs: 0, endpoint: "", attachmentId: "" }, /SEARCH traffic USING PRIMARY KEY/],
  [
    "old counters",
    removeCountersSql,
    { bucketMs: 0, endpoint: "", attachmentId: "", before: 0 },
    /SEARCH traffic USING PRIMARY KEY/,
  ],
  [
    "old entries of the audit log",
    removeAuditSql,
    { before: 0 },
    /SEARCH audit_entry USING COVERING INDEX audit_entry_by_time/,
  ],
  ["old keys of starts", removeStartKeysSql, { before: 0 }, /SEARCH run_start USING COVERING INDEX run_start_by_time/],
  [
    "expired sessions",
    removeSessionsSql,
    { before: 0 },
    /SEARCH person_session USING COVERING INDEX person_session_by_expiry/,
  ],
  [
    "sign-ins that were not finished",
    removeUnfinishedSignInsSql,
    { before: 0 },
    /SEARCH person_verification USING COVERING INDEX person_verification_by_expiry/,
  ],
])("%s are found by an index, without sorting", (_, sql, values, plan) => {
  const text = JSON.stringify(connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values));
  expect(text).toMatch(plan);
  expect(text).not.toMatch(
    /SCAN (delivery|run|traffic|audit_entry|run_start|person_session|person_verification)\b|TEMP B-TREE FOR ORDER/,
  );
});

it.each([
  [
    "old deliveries",
    oldDeliveriesSql,
    { at: 0, seq: 0, before: 1 },
    "SEARCH delivery_list USING COVERING INDEX delivery_by_time",
  ],
  [
    "held deliveries",
    heldSql,
    { at: 0, seq: 0, since: 0, until: 1, endpoint: null, rows: 5 },
    "SEARCH delivery_list USING INDEX delivery_by_outcome",
  ],
  ["old runs", oldRunsSql, { at: 0, seq: 0, before: 1 }, "SEARCH run_list USING COVERING INDEX run_by_time"],
  ["the newest of so many", nthNewestSql, [1], "SCAN delivery_list USING COVERING INDEX delivery_by_time"],
])("%s are found by the list index, which is not sorted", (_, sql, values, plan) => {
  const steps = connection.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(values);
  expect(
    steps
      .map(({ detail }) => detail)
      .join("\n")
      .split("\nRIGHT\n")[0],
  ).toContain(`MERGE (UNION ALL)\nLEFT\n${plan}`);
});

it("a name without deliveries is looked up in the list index, and among the rows that are not in it yet", () => {
  const plan = connection.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${removeNamesSql}`).all();
  expect(plan.map(({ detail }) => detail)).toEqual(
    expect.arrayContaining([
      "SEARCH delivery_list USING COVERING INDEX delivery_by_endpoint (endpoint=?)",
      "SEARCH delivery USING INTEGER PRIMARY KEY (rowid>?)",
    ]),
  );
});
