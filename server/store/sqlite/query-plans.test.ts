import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrationsFolder } from "../../paths.ts";
import { systemClock } from "../../ports/clock.ts";
import { encodeCursor } from "../shared/cursor.ts";
import { dueRunsSql, openTargetsSql, runningOfTargetSql } from "./claim-runs.ts";
import { createDatabase, type SqliteDatabase } from "./database.ts";
import { findKeyByHashQuery } from "./key-store.ts";
import { heldRunsQuery, nextAvailableQuery } from "./leases.ts";
import { listDeliveriesQuery } from "./list-deliveries.ts";
import { listRunsQuery } from "./list-runs.ts";
import { expiredRunsQuery } from "./lost-runs.ts";
import { migrate } from "./migrate.ts";
import { openConnection } from "./open-connection.ts";

const folder = mkdtempSync(join(tmpdir(), "signalbox-plans-"));
let database: SqliteDatabase;

beforeAll(async () => {
  const connection = await openConnection(join(folder, "ledger.db"));
  migrate(connection, migrationsFolder("sqlite"), systemClock);
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

const cursor = encodeCursor({ at: 5, id: "x" });
const pages = [
  { limit: 50, cursor: null },
  { limit: 50, cursor },
];

describe("a page of runs is read by an index, in its order, whatever the filter", () => {
  it.each([
    [{}, "run_by_time"],
    [{ since: 1, until: 9 }, "run_by_time"],
    [{ trigger: "t" }, "run_by_trigger"],
    [{ trigger: "t", since: 1 }, "run_by_trigger"],
    [{ target: "t" }, "run_by_target"],
    [{ target: "t", targetKind: "workflow" as const }, "run_by_target"],
    [{ status: "failed" as const }, "run_by_status"],
    [{ keyId: "k" }, "run_by_key"],
  ])("%j by %s", (filter, index) => {
    for (const page of pages) {
      const plan = planOf(listRunsQuery(database, filter, page));
      expect(plan).toContain(`USING INDEX ${index}`);
      expect(plan).not.toContain("TEMP B-TREE");
    }
  });

  it("the few runs of one delivery by run_by_delivery", () => {
    for (const page of pages) expect(planOf(listRunsQuery(database, { delivery: "d" }, page))).toContain("USING INDEX run_by_delivery");
  });

  it("two filters at once still by an index in its order", () => {
    for (const page of pages) {
      const plan = planOf(listRunsQuery(database, { trigger: "t", status: "failed" }, page));
      expect(plan).toMatch(/SEARCH run USING INDEX run_by_(trigger|status)/);
      expect(plan).not.toContain("TEMP B-TREE");
    }
  });
});

describe("a page of deliveries is read by an index, in its order, whatever the filter", () => {
  it.each([
    [{}, "delivery_by_time"],
    [{ since: 1, until: 9 }, "delivery_by_time"],
    [{ endpoint: "e" }, "delivery_by_endpoint"],
    [{ outcome: "rejected" as const }, "delivery_by_outcome"],
    [{ responseStatus: 422 }, "delivery_by_response_status"],
  ])("%j by %s", (filter, index) => {
    for (const page of pages) {
      const plan = planOf(listDeliveriesQuery(database, filter, page));
      expect(plan).toContain(`USING INDEX ${index}`);
      expect(plan).not.toContain("TEMP B-TREE");
    }
  });
});

describe("the engine's questions", () => {
  it("which targets have open runs: a jump for each, never a walk", () => {
    const plan = explain(openTargetsSql, { isolated: 0 });
    expect(plan).toContain("SEARCH run USING COVERING INDEX run_open (is_isolated=?)");
    expect(plan).toContain("SEARCH run USING COVERING INDEX run_open (is_isolated=? AND target>?)");
    expect(plan).not.toContain("SCAN run");
  });

  it("which of its runs are due: the head of the index, in its order", () => {
    const queued = explain(dueRunsSql.queued, { isolated: 0, target: "t", limit: 1 });
    expect(queued).toBe("SEARCH run USING COVERING INDEX run_open (is_isolated=? AND target=? AND status=?)");
    const waiting = explain(dueRunsSql.waiting, { isolated: 0, target: "t", limit: 1, now: 1 });
    expect(waiting).toBe("SEARCH run USING COVERING INDEX run_open (is_isolated=? AND target=? AND status=? AND available_at<?)");
  });

  it("how many of a target are running", () => {
    expect(explain(runningOfTargetSql, { target: "t" })).toBe("SEARCH run USING COVERING INDEX run_running_by_target (target=?)");
  });

  it("which leases ran out", () => {
    expect(planOf(expiredRunsQuery(database, 1))).toBe("SEARCH run USING INDEX run_by_lease (lease_until<?)");
  });

  it("what a worker holds", () => {
    expect(planOf(heldRunsQuery(database, "w"))).toContain("SEARCH run USING INDEX run_by_worker (worker_id=?)");
  });

  it("when the next waiting run is due", () => {
    expect(planOf(nextAvailableQuery(database, { pool: "shared", after: 1 }))).toContain("run_waiting (is_isolated=? AND available_at>?)");
  });
});

it("finds a key by its hash, an idempotency key and a timeline by index", () => {
  expect(planOf(findKeyByHashQuery(database, "h"))).toContain("USING INDEX webhook_key_by_hash (hash=?)");
  expect(explain("SELECT * FROM idempotency_key WHERE endpoint = ? AND key = ?", "e", "k")).toContain("(endpoint=? AND key=?)");
  expect(explain("SELECT * FROM run_event WHERE run_id = ? AND id > ? ORDER BY id LIMIT 10", "r", 1)).toContain("USING INDEX run_event_by_run (run_id=? AND id>?)");
});

it("has an index for every foreign key", () => {
  const { connection } = database;
  const missing = connection
    .prepare(
      `SELECT m.name || '.' || f."from" FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f
       WHERE m.type = 'table' AND NOT EXISTS (
         SELECT 1 FROM pragma_index_list(m.name) l JOIN pragma_index_info(l.name) i WHERE i.seqno = 0 AND i.name = f."from")`,
    )
    .pluck()
    .all();
  expect(missing).toEqual([]);
});

it("reads no wide column into a list", () => {
  const lists = [listRunsQuery(database, {}, { limit: 1, cursor: null }), listDeliveriesQuery(database, {}, { limit: 1, cursor: null })];
  for (const list of lists) expect(list.toSQL().sql).not.toMatch(/"(payload|input|output|error_stack|body)"/);
});
