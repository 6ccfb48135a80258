import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SQL } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrationsFolder } from "../../../paths.ts";
import { systemClock } from "../../../ports/clock.ts";
import { silentLogger } from "../../../ports/logger.ts";
import type { DeliveryFilter } from "../../../ports/store/delivery-store.ts";
import type { RunFilter } from "../../../ports/store/run-store.ts";
import type { Position } from "../../shared/lists/cursor.ts";
import { keyByHashQuery } from "../../core/keys.ts";
import { feedSql } from "./feed.ts";
import { driversOf, type Listing } from "../../shared/lists/read-list.ts";
import { countedOfTargetSql, dueRunsSql, openTargetsSql } from "../engine/claim-runs.ts";
import { countDueSql } from "../engine/due-runs.ts";
import { lastOfKeySql, nextOfKeySql, takenOfKeySql } from "../runs/key-slots.ts";
import { createDatabase, type SqliteDatabase } from "../database.ts";
import { nextAvailableSql } from "../engine/leases.ts";
import { deliveryListing, deliveryRowsQuery } from "./list-deliveries.ts";
import { runCountQuery, runListing, runRowsQuery } from "./list-runs.ts";
import { expiredRunsSql } from "../engine/lost-runs.ts";
import { migrate } from "../file/migrate.ts";
import { openConnection } from "../file/open-connection.ts";
import { endQuery, slowStretchQuery, stretchQuery, toPositionId } from "./list-reader.ts";
import { queuedOfTargetSql } from "../runs/insert-run.ts";
import { spendQuery } from "../runs/run-store.ts";
import { coreTables } from "../schema/core.ts";
import {
  attachmentsSql,
  countDeliveriesSql,
  lastRunSql,
  recentRunsSql,
  searchIdsSql,
  sumVerdictsSql,
  verdictBucketsSql,
} from "../deliveries/traffic-store.ts";
import { firstCountedHourSql, verdictHoursSql } from "../deliveries/verdict-hours.ts";
import {
  addTrafficSql,
  logRangeSql,
  logRowsSql,
  oldestLoggedSql,
  removeMinutesSql,
} from "../deliveries/traffic-log.ts";

const folder = mkdtempSync(join(tmpdir(), "signalbox-plans-"));
let database: SqliteDatabase;

beforeAll(async () => {
  const connection = await openConnection(join(folder, "store.db"));
  migrate(connection, { folder: migrationsFolder("sqlite"), clock: systemClock, logger: silentLogger });
  database = createDatabase(connection, () => Promise.reject(new Error("plans are only read")));
});
afterAll(() => {
  database.connection.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Query {
  toSQL(): { sql: string; params: unknown[] };
}

function planOf(query: Query): string {
  const { sql, params } = query.toSQL();
  return explain(sql, ...params);
}

function explain(sql: string, ...params: unknown[]): string {
  const rows = database.connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...params);
  return rows.map((row) => (row && typeof row === "object" && "detail" in row ? String(row.detail) : "")).join("\n");
}

const position = { at: 5, id: toPositionId(7) };
const dialect = new SQLiteSyncDialect();

function planOfSql(query: SQL): string {
  const { sql, params } = dialect.sqlToQuery(query);
  return explain(sql, ...params);
}

/** The plans of all parts of the list, for every index that can provide the candidates. */
function plansOf<Row, Shape>(listing: Listing<Row, Shape>): { index: string; plan: string }[] {
  return driversOf(listing).flatMap((driver) =>
    [null, position].flatMap((after) => [
      ...[null, position].flatMap((downTo) =>
        [listing.terms.some(({ isSlow }) => isSlow) ? slowStretchQuery : stretchQuery].map((query) => ({
          index: driver.index,
          plan: planOfSql(query(listing, { driver, after, downTo, limit: 51 })),
        })),
      ),
      { index: driver.index, plan: planOfSql(endQuery(listing, { driver, after, candidates: 1000 })) },
    ]),
  );
}

/** The plan without the rows that are not in the list index yet. Those are found by number, and sorted. */
function indexedPart(plan: string): string {
  const [, indexed, table, unlisted] =
    /^MERGE \(UNION ALL\)\nLEFT\n([^]*)\nRIGHT\nSEARCH (\w+) ([^]*)$/.exec(plan) ?? [];
  if (indexed === undefined) return plan;
  expect(unlisted).toMatch(/^USING INTEGER PRIMARY KEY \(rowid>\?\)\n/);
  expect(unlisted).toContain(`SEARCH ${table}_list`);
  expect(unlisted).not.toMatch(/SCAN (delivery|run)/);
  return indexed;
}

/** The indexes that can provide the candidates, after a check of every plan. */
function readBy<Row, Shape>(listing: Listing<Row, Shape>): string[] {
  const plans = plansOf(listing);
  for (const { index, plan } of plans) {
    const indexed = indexedPart(plan);
    expect(indexed).toMatch(new RegExp(`USING (COVERING )?INDEX ${index}`));
    expect(indexed).not.toContain("TEMP B-TREE");
    expect(indexed.startsWith("SEARCH") || /_by_(?:time|spend)$|^run_(?:failed|waiting_for_slot)$/.test(index)).toBe(
      true,
    );
  }
  return [...new Set(plans.map(({ index }) => index))];
}

describe("a part of the list of runs is read by an index, in its order, with any filters", () => {
  it.each<[RunFilter, string[]]>([
    [{}, ["run_by_time"]],
    [{ since: 1, until: 9 }, ["run_by_time"]],
    [{ text: "t" }, ["run_by_time"]],
    [{ targetKind: "agent" }, ["run_by_time"]],
    [{ trigger: "t", since: 1 }, ["run_by_trigger"]],
    [{ target: "t", targetKind: "workflow" }, ["run_by_target"]],
    [{ status: "failed", text: "t" }, ["run_by_status"]],
    [{ keyId: "k" }, ["run_by_key"]],
    [{ version: "v" }, ["run_by_time"]],
    [{ delivery: "d" }, ["run_by_delivery"]],
    [{ replayOf: "r" }, ["run_by_replay"]],
    [{ childOf: "r", status: "failed" }, ["run_by_parent"]],
    [{ minTokens: 5 }, ["run_by_spend"]],
    [{ minCostUsd: 0.5, target: "t", targetKind: "agent", status: "failed", trigger: "t", since: 1 }, ["run_by_spend"]],
    [{ minCostUsd: 0.5, delivery: "d", replayOf: "r", keyId: "k" }, ["run_by_delivery", "run_by_replay"]],
    [{ keyId: "k", minCostUsd: 0.5 }, ["run_by_key", "run_by_spend"]],
    [{ delivery: "d", text: "t", status: "failed" }, ["run_by_delivery"]],
    [{ needsApproval: true, target: "t" }, ["run_by_status", "run_by_target"]],
    [{ waitsForKey: true, target: "t", since: 1 }, ["run_waiting_for_slot"]],
    [{ waitsForKey: true, key: "k" }, ["run_by_run_key", "run_waiting_for_slot"]],
    [{ waitsForEvent: "s", since: 1 }, ["run_by_status"]],
    [{ waitsForEvent: "s", target: "t", key: "k" }, ["run_by_run_key"]],
    [{ unresolved: true, since: 1 }, ["run_failed"]],
    [{ unresolved: true, status: "failed", trigger: "t" }, ["run_failed", "run_by_status", "run_by_trigger"]],
    [{ unresolved: true, minTokens: 5 }, ["run_by_spend"]],
    [
      { keyId: "k", status: "failed", trigger: "t", target: "t", version: "v" },
      ["run_by_key", "run_by_status", "run_by_trigger", "run_by_target"],
    ],
  ])("%j by %j", (filter, indexes) => {
    expect(readBy(runListing(database, filter))).toEqual(indexes);
  });

  it.each<[RunFilter, string]>([
    [{ status: "failed", trigger: "t", target: "t", targetKind: "agent", version: "v" }, "run_by_status"],
    [{ target: "t", status: "failed", trigger: "t", targetKind: "agent", version: "v" }, "run_by_target"],
    [{ trigger: "t", target: "t", targetKind: "agent", version: "v" }, "run_by_trigger"],
    [{ version: "v", targetKind: "agent" }, "run_by_time"],
    [{ minTokens: 5, minCostUsd: 0.5, status: "failed", trigger: "t", target: "t", version: "v" }, "run_by_spend"],
    [{ needsApproval: true, trigger: "t", target: "t", targetKind: "agent" }, "run_by_status"],
    [{ waitsForEvent: "s", trigger: "t", target: "t", targetKind: "workflow" }, "run_by_status"],
  ])("%j is checked by %s in the list index alone", (filter, index) => {
    const plans = plansOf(runListing(database, filter)).filter((plan) => plan.index === index);
    expect(plans.length).toBeGreaterThan(0);
    for (const { plan } of plans) expect(indexedPart(plan)).not.toMatch(/(SEARCH|SCAN) run /);
  });
});

it.each<[RunFilter, string]>([
  [{}, "run_by_time"],
  [{ status: "failed", since: 1, until: 9 }, "run_by_status"],
  [{ trigger: "t", version: "v" }, "run_by_trigger"],
])("runs of %j are counted by %s", (filter, index) => {
  const listing = runListing(database, filter);
  const [driver] = driversOf(listing);
  for (const downTo of [null, position]) {
    const plan = planOfSql(runCountQuery(listing, { driver, after: position, downTo }, 60_000));
    expect(plan).toMatch(new RegExp(`USING (COVERING )?INDEX ${index}`));
    expect(plan).not.toMatch(/SCAN run\b/);
  }
});

describe("a part of the list of deliveries is read by an index, in its order, with any filters", () => {
  const verdict = { trigger: "t", outcomes: ["matched" as const] };
  it.each<[DeliveryFilter, string[]]>([
    [{}, ["delivery_by_time"]],
    [{ since: 1, until: 9 }, ["delivery_by_time"]],
    [{ text: "t", verdict }, ["delivery_by_time"]],
    [{ endpoint: "e", verdict, text: "t" }, ["delivery_by_endpoint"]],
    [{ outcome: "rejected" }, ["delivery_by_outcome"]],
    [{ status: 422 }, ["delivery_by_response_status"]],
    [{ redeliveryOf: "d" }, ["delivery_by_redelivery"]],
    [{ redeliveryOf: "d", endpoint: "e", status: 422, outcome: "rejected" }, ["delivery_by_redelivery"]],
    [
      { endpoint: "e", status: 422, outcome: "rejected" },
      ["delivery_by_endpoint", "delivery_by_response_status", "delivery_by_outcome"],
    ],
  ])("%j by %j", (filter, indexes) => {
    expect(readBy(deliveryListing(database, filter))).toEqual(indexes);
  });

  it("several filters are checked in the list index alone", () => {
    for (const { plan } of plansOf(deliveryListing(database, { endpoint: "e", status: 422, outcome: "rejected" })))
      expect(indexedPart(plan)).not.toMatch(/(SEARCH|SCAN) delivery /);
  });
});

it("approvals are looked up in the steps of a run, by its id", () => {
  for (const { plan } of plansOf(runListing(database, { needsApproval: true })).filter(({ plan }) =>
    plan.includes("run_step"),
  ))
    expect(plan).toContain("SEARCH run_step EXISTS USING INDEX run_step_by_name (run=?)");
});

it("replays are looked up by the id of the replayed run", () => {
  const plans = plansOf(runListing(database, { unresolved: true })).filter(({ plan }) => plan.includes("replay"));
  expect(plans.length).toBeGreaterThan(0);
  for (const { plan } of plans) expect(plan).toContain("SEARCH replay USING INDEX run_by_replay (replay_of=?)");
});

/** The part of the plan for the newest runs, which are summed. */
function newestOf(plan: string): string {
  return indexedPart(plan.slice(plan.indexOf("MERGE"), plan.lastIndexOf("\nSCAN run")));
}

it("the spend of agents is summed from one index, newest first, within a time range and a number of runs", () => {
  const filter = {
    target: "t",
    trigger: "t",
    status: "failed",
    version: "v",
    minTokens: 1,
    minCostUsd: 0.5,
  } as const;
  expect(newestOf(planOfSql(spendQuery(database, { ...filter, since: 1, until: 9 })))).toBe(
    "SEARCH run_list USING INDEX run_by_spend (created_at>? AND created_at<?)",
  );
  expect(newestOf(planOfSql(spendQuery(database, filter)))).toBe("SCAN run_list USING INDEX run_by_spend");
});

it("a part of a list has one bound on each side: SQLite would scan from the wider to the narrower", () => {
  const listing = runListing(database, { since: 1, until: 9 });
  const [driver] = driversOf(listing);
  const boundsOf = (after: Position | null, downTo: Position | null) =>
    dialect.sqlToQuery(stretchQuery(listing, { driver, after, downTo, limit: 51 })).params;
  // On the list index, and on the rows that are not in it yet.
  expect(boundsOf(null, null)).toEqual([9, 1, 9, 1, 51]);
  expect(boundsOf({ at: 5, id: "x" }, { at: 3, id: "y" })).toEqual([5, "x", 3, "y", 5, "x", 3, "y", 51]);
  expect(boundsOf({ at: 12, id: "x" }, { at: 0, id: "y" })).toEqual([9, 1, 9, 1, 51]);
});

it("reads the rows of a page by their numbers", () => {
  const { runs, deliveries } = rowQueries(database, [1, 2]);
  expect(planOf(runs)).toContain("SEARCH run USING INTEGER PRIMARY KEY (rowid=?)");
  expect(planOf(deliveries)).toContain("SEARCH delivery USING INTEGER PRIMARY KEY (rowid=?)");
});

describe("traffic queries", () => {
  it("read counters by primary key", () => {
    const window = { bucketMs: 60_000, since: 0, until: 1, endpoints: "[]" };
    expect(explain(countDeliveriesSql, window)).toContain(
      "SEARCH t USING PRIMARY KEY (bucket_ms=? AND endpoint=? AND attachment_id=? AND at>? AND at<?)",
    );
    const attachments = explain(attachmentsSql, { bucketMs: 60_000, endpoints: "[]" });
    expect(attachments).toContain("(bucket_ms=? AND endpoint=? AND attachment_id>?)");
    expect(attachments).not.toContain("SCAN t");
    expect(explain(sumVerdictsSql, { bucketMs: 60_000, since: 0, until: 1, endpoint: "e", attachmentId: "a" })).toBe(
      "SEARCH traffic USING PRIMARY KEY (bucket_ms=? AND endpoint=? AND attachment_id=? AND at>? AND at<?)",
    );
    expect(explain(verdictBucketsSql, { bucketMs: 60_000, since: 0, until: 1, endpoint: "e", trigger: "t" })).toBe(
      "SEARCH traffic USING PRIMARY KEY (bucket_ms=? AND endpoint=? AND attachment_id>? AND attachment_id<?)",
    );
    expect(explain(removeMinutesSql, "", "", 0)).toMatch(
      /^SEARCH traffic USING .*\(bucket_ms=\? AND endpoint=\? AND attachment_id=\? AND at<\?\)$/,
    );
    expect(explain(addTrafficSql, 1, "", "", 0, "matched", 1)).not.toContain("SCAN");
  });

  it("of the log scan from one id", () => {
    for (const sql of [logRangeSql, oldestLoggedSql]) expect(explain(sql)).not.toContain("TEMP B-TREE");
    expect(explain(logRowsSql, 1)).toBe("SEARCH traffic_log USING INTEGER PRIMARY KEY (rowid>?)");
  });

  it("for the hours of a verdict seek to the attachments of the trigger", () => {
    expect(explain(verdictHoursSql, { outcomes: "[]", endpoint: "e", trigger: "t", since: 0, until: 1 })).toContain(
      "SEARCH t USING PRIMARY KEY (bucket_ms=? AND endpoint=? AND attachment_id>? AND attachment_id<?)",
    );
    expect(explain(firstCountedHourSql)).toBe(
      "SEARCH traffic USING PRIMARY KEY (bucket_ms=? AND endpoint=? AND attachment_id=?)",
    );
  });

  it("for targets read the list index, newest first", () => {
    expect(indexedPart(explain(recentRunsSql, { slug: "s", kind: "agent", since: 0 }))).toBe(
      "SEARCH run_list USING INDEX run_by_target (target_slug=? AND created_at>?)",
    );
    expect(indexedPart(explain(lastRunSql, { slug: "s", kind: "agent" }))).toBe(
      "SEARCH run_list USING INDEX run_by_target (target_slug=?)",
    );
  });

  it("for ids read their index and the newest ids", () => {
    for (const { begin, newest } of Object.values(searchIdsSql)) {
      expect(explain(begin, { first: "a", last: "b", limit: 5 })).toMatch(
        /^SEARCH \w+ USING COVERING INDEX \w+_by_id \(id>\? AND id<\?\)$/,
      );
      expect(explain(newest)).toMatch(/SCAN \w+ USING COVERING INDEX \w+_by_id/);
      expect(explain(newest)).not.toContain("TEMP B-TREE");
    }
  });
});

describe("the engine's queries", () => {
  it("targets with open runs: one seek for each, no scan", () => {
    for (const sql of Object.values(openTargetsSql)) {
      const plan = explain(sql, { isolated: 0 });
      expect(plan).toContain("SEARCH run USING COVERING INDEX run_open (status=? AND is_isolated=?)");
      expect(plan).toContain("SEARCH run USING COVERING INDEX run_open (status=? AND is_isolated=? AND target>?)");
      expect(plan).not.toContain("SCAN run");
    }
  });

  it("due runs of a target: the start of the index, in its order", () => {
    const queued = explain(dueRunsSql.queued, { isolated: 0, target: "t", limit: 1 });
    expect(queued).toContain(
      "SEARCH run USING COVERING INDEX run_open (status=? AND is_isolated=? AND target=? AND available_at<?)",
    );
    const waiting = explain(dueRunsSql.waiting, { isolated: 0, target: "t", limit: 1, now: 1 });
    expect(waiting).toContain(
      "SEARCH run USING COVERING INDEX run_open (status=? AND is_isolated=? AND target=? AND available_at<?)",
    );
    for (const plan of [queued, waiting]) expect(plan).not.toMatch(/SCAN run|TEMP B-TREE/);
  });

  it("number of due runs of a target: the start of the index, and the last entry of a timeline", () => {
    const queued = explain(countDueSql.queued, { isolated: 0, target: 1, limit: 1 });
    expect(queued).toContain(
      "SEARCH run USING INDEX run_open (status=? AND is_isolated=? AND target=? AND available_at<?)",
    );
    expect(queued).toContain("SEARCH run_event USING PRIMARY KEY (run=?)");
    const waiting = explain(countDueSql.waiting, { isolated: 0, target: 1, limit: 1, now: 1 });
    expect(waiting).toContain(
      "USING COVERING INDEX run_open (status=? AND is_isolated=? AND target=? AND available_at<?)",
    );
    for (const plan of [queued, waiting]) expect(plan).not.toMatch(/SCAN run|TEMP B-TREE/);
  });

  it.each(["release", "hold"] as const)(
    "number of runs that count towards the limit of a target (%s)",
    (whileWaiting) => {
      expect(explain(countedOfTargetSql[whileWaiting], { target: 1 })).toBe(
        "SEARCH run USING COVERING INDEX run_open (status=? AND is_isolated=? AND target=?)",
      );
    },
  );

  it("slots of a key, and the run that gets the next one", () => {
    const slots = "SEARCH run USING COVERING INDEX run_by_slot (target=? AND run_key=? AND key_slot";
    for (const sql of [lastOfKeySql, takenOfKeySql, nextOfKeySql]) {
      const plan = explain(sql, { target: 1, key: "k", perKey: 1 });
      expect(plan).toContain(slots);
      expect(plan).not.toMatch(/SCAN run|TEMP B-TREE/);
    }
  });

  it("number of queued runs of a target", () => {
    expect(explain(queuedOfTargetSql, { isolated: 0, target: "t", limit: 9 })).toContain(
      "SEARCH run USING COVERING INDEX run_open (status=? AND is_isolated=? AND target=? AND available_at<?)",
    );
  });

  it("expired leases", () => {
    expect(explain(expiredRunsSql, 1)).toBe("SEARCH run USING INDEX run_open (status=?)");
  });

  it("time of the next waiting run", () => {
    expect(explain(nextAvailableSql, { isolated: 0, after: 1 })).toContain(
      "run_waiting (is_isolated=? AND available_at>? AND available_at<?)",
    );
  });
});

it("the feed reads the rows by their numbers, and finds its start in the list index", () => {
  expect(explain(feedSql.next, 1)).toBe("SEARCH delivery USING INTEGER PRIMARY KEY (rowid>?)");
  expect(explain(feedSql.newest)).toBe("SCAN delivery");
  expect(explain(feedSql.at, 1)).toBe("SEARCH delivery USING INTEGER PRIMARY KEY (rowid=?)");
  const start = explain(feedSql.start, { since: 0 });
  expect(start).toContain("SEARCH delivery USING INTEGER PRIMARY KEY (rowid<?)");
  expect(start).toContain("SEARCH delivery_list USING COVERING INDEX delivery_by_time (received_at>?)");
  expect(start).not.toContain("TEMP B-TREE");
});

it("finds a key by its hash, an idempotency key and a timeline by index", () => {
  expect(planOf(keyByHashQuery(database.db, coreTables, "h"))).toContain("USING INDEX webhook_key_by_hash (hash=?)");
  expect(explain("SELECT * FROM delivery WHERE endpoint = ? AND idempotency_key = ?", 1, "k")).toContain(
    "USING INDEX delivery_by_idempotency_key (endpoint=? AND idempotency_key=?)",
  );
  expect(explain("SELECT * FROM run_event WHERE run = ? AND position > ? ORDER BY position LIMIT 10", 1, 1)).toContain(
    "USING PRIMARY KEY (run=? AND position>?)",
  );
});

it("has an index for every foreign key", () => {
  const { connection } = database;
  const missing = connection
    .prepare(
      `SELECT m.name || '.' || f."from" FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f
       WHERE m.type = 'table' AND NOT EXISTS (SELECT 1 FROM pragma_table_info(m.name) c WHERE c.name = f."from" AND c.pk = 1) AND NOT EXISTS (
         SELECT 1 FROM pragma_index_list(m.name) l JOIN pragma_index_info(l.name) i WHERE i.seqno = 0 AND i.name = f."from")`,
    )
    .pluck()
    .all();
  expect(missing).toEqual([]);
});

it("no wide column is read into a list", () => {
  const { runs, deliveries } = rowQueries(database, [1]);
  for (const list of [runs, deliveries])
    expect(list.toSQL().sql).not.toMatch(/"(payload|input|output|error_stack|body)"/);
});

function rowQueries(from: SqliteDatabase, seqs: number[]) {
  return { runs: runRowsQuery(from, seqs), deliveries: deliveryRowsQuery(from, seqs) };
}
