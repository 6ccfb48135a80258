import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Connection, openConnection } from "../file/open-connection.ts";
import type { WriteTerms } from "../../../ports/store/delivery-store.ts";
import { createWriteQueue, type WriteQueue } from "./write-queue.ts";

const total = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);

describe("group commit", () => {
  let folder: string;
  let connection: Connection;
  let queue: WriteQueue;
  let notifications = 0;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "signalbox-queue-"));
    connection = await openConnection(join(folder, "a.db"));
    connection.exec("CREATE TABLE t (n INTEGER PRIMARY KEY, body BLOB)");
    notifications = 0;
    queue = createWriteQueue(connection, {
      onWritten: () => {
        notifications += 1;
      },
      checkFile() {},
      onBegin() {},
      onEnd() {},
    });
  });
  afterEach(() => {
    connection.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const insert = (n: number, bytes = 0, terms?: WriteTerms) =>
    queue.write(
      () => connection.prepare("INSERT INTO t VALUES (?, zeroblob(?))").run(n, bytes).lastInsertRowid,
      "fsync",
      terms,
    );
  const level = (durability?: "fsync" | "page-cache") =>
    queue.write(() => connection.pragma("synchronous", { simple: true }), durability);
  const rows = () => connection.prepare("SELECT n FROM t ORDER BY n").pluck().all();
  /** Growth of the log: each commit writes the page of the table once more. */
  const growth = async (work: () => Promise<unknown>) => {
    const log = join(folder, "a.db-wal");
    const before = statSync(log).size;
    await work();
    return statSync(log).size - before;
  };

  it("ends a commit with an fsync unless all its operations have the durability page-cache", async () => {
    const [normal, full] = [1, 2];
    expect(await level()).toBe(full);
    expect(await Promise.all([level("page-cache"), level("page-cache")])).toEqual([normal, normal]);
    expect(await Promise.all([level("page-cache"), level("fsync"), level("page-cache")])).toEqual([full, full, full]);
    expect(await level("page-cache")).toBe(normal);
    expect(await level()).toBe(full);
  });

  it("counts the writes of each commit, their waits, and the durations of commits with an fsync", async () => {
    await Promise.all([insert(1), insert(2), insert(3)]);
    await level("page-cache");
    await expect(insert(1)).rejects.toThrow("UNIQUE");
    const { commitWrites, commitDurations, writeWaits, failedWrites, waitingWrites } = queue.numbers();
    expect(commitWrites).toMatchObject({ sum: 4 });
    expect([
      total(commitWrites.counts),
      total(commitDurations.counts),
      total(writeWaits.counts),
      failedWrites,
      waitingWrites,
    ]).toEqual([2, 1, 4, 1, 0]);
    const soon = insert(4);
    expect(queue.numbers().waitingWrites).toBe(1);
    await soon;
  });

  it("writes concurrent operations in one commit, and returns to each caller its own result", async () => {
    const ofOne = await growth(() => insert(9));
    let answers: unknown[] = [];
    const ofThree = await growth(async () => {
      answers = await Promise.all([insert(3), insert(1), insert(2)]);
    });
    expect(answers).toEqual([3, 1, 2]);
    expect(ofThree).toBe(ofOne);
    expect(notifications).toBe(2);
  });

  it("an invalid row fails alone, and the other writes of its batch succeed", async () => {
    const outcomes = await Promise.allSettled([insert(1), insert(1), insert(2)]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(rows()).toEqual([1, 2]);
  });

  it("rolls back an operation that fails half way", async () => {
    await expect(
      queue.write(() => {
        connection.exec("INSERT INTO t VALUES (7, NULL)");
        throw new Error("half way");
      }),
    ).rejects.toThrow("half way");
    expect(rows()).toEqual([]);
  });

  it("reports store_unavailable when the disk is full, and continues when there is space again", async () => {
    const pages = Number(connection.pragma("page_count", { simple: true }));
    connection.pragma(`max_page_count = ${pages + 2}`);
    const outcomes = await Promise.allSettled([insert(1, 1_000_000), insert(2)]);
    expect(outcomes).toMatchObject([
      { status: "rejected", reason: { name: "AppError", code: "store_unavailable", cause: { code: "SQLITE_FULL" } } },
      { status: "fulfilled" },
    ]);
    // A small write succeeds, but does not hide the failure.
    expect(queue.lastFailure()).toMatchObject({ code: "store_unavailable", cause: { code: "SQLITE_FULL" } });
    connection.pragma("max_page_count = 1000000");
    await insert(1, 1_000_000);
    await vi.waitFor(() => expect(queue.lastFailure()).toBeUndefined());
    expect(rows()).toEqual([1, 2]);
  });

  it("does not block the event loop while another process has the lock, and writes as soon as it is free", async () => {
    const other = new Database(join(folder, "a.db"));
    other.exec("BEGIN IMMEDIATE");
    let isWritten = false;
    const written = Promise.all([insert(1), insert(2)]).then(() => (isWritten = true));
    const turns: boolean[] = [];
    // Timers run between its attempts: SQLite does not block the event loop.
    for (let turn = 0; turn < 5; turn += 1)
      turns.push(await new Promise((resolve) => setTimeout(() => resolve(isWritten), 1)));
    expect(turns).toEqual([false, false, false, false, false]);
    other.exec("ROLLBACK");
    await written;
    expect(rows()).toEqual([1, 2]);
    other.close();
  });

  it("does not blame a lock for the time in which the process itself hung, for example in its disk", async () => {
    const other = new Database(join(folder, "a.db"));
    other.exec("BEGIN IMMEDIATE");
    const written = insert(1);
    const now = performance.now.bind(performance);
    const hung = vi.spyOn(performance, "now").mockImplementation(() => now() + 60_000);
    try {
      await new Promise((resolve) => setTimeout(resolve, 30));
      other.exec("ROLLBACK");
      other.close();
      await written;
    } finally {
      hung.mockRestore();
    }
    expect(rows()).toEqual([1]);
  });

  it("never writes what its caller stopped waiting for while another process had the lock", async () => {
    const other = new Database(join(folder, "a.db"));
    other.exec("BEGIN IMMEDIATE");
    const terms = { late: { by: performance.now() + 200 }, gone: { by: Infinity, isAbandoned: () => isGone } };
    let isGone = false;
    const stays = Array.from({ length: 300 }, (_, n) => insert(n));
    const others = [insert(1_000, 0, terms.late), insert(1_001, 0, terms.gone)];
    await expect(others[0]).rejects.toMatchObject({ code: "store_unavailable" });
    isGone = true;
    await expect(others[1]).rejects.toMatchObject({ code: "store_unavailable" });
    other.exec("ROLLBACK");
    other.close();
    await Promise.all(stays);
    expect(rows()).toEqual(Array.from({ length: 300 }, (_, n) => n));
  });

  it("keeps the order of operations that waited for a lock", async () => {
    const other = new Database(join(folder, "a.db"));
    other.exec("BEGIN IMMEDIATE");
    const order: number[] = [];
    const first = [insert(5), insert(4)].map((one) => one.then((n) => order.push(Number(n))));
    await new Promise((resolve) => setTimeout(resolve, 30));
    const all = Promise.all([...first, insert(3).then((n) => order.push(Number(n)))]);
    other.exec("ROLLBACK");
    other.close();
    await all;
    expect(order).toEqual([5, 4, 3]);
  });

  it("waits less for a lock that has been unavailable for seconds", async () => {
    const other = new Database(join(folder, "a.db"));
    other.exec("BEGIN IMMEDIATE");
    await expect(insert(1)).rejects.toMatchObject({ code: "store_unavailable", cause: { code: "SQLITE_BUSY" } });
    const since = performance.now();
    await expect(insert(2)).rejects.toMatchObject({ code: "store_unavailable", cause: { code: "SQLITE_BUSY" } });
    // The first one waited for five seconds. This does not measure speed.
    expect(performance.now() - since).toBeLessThan(4_000);
    other.exec("ROLLBACK");
    other.close();
    await insert(3);
    expect(rows()).toEqual([3]);
  });

  it("does not try every waiting operation on a disk that accepts no write", async () => {
    connection.pragma(`max_page_count = ${Number(connection.pragma("page_count", { simple: true }))}`);
    let tried = 0;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, (_, n) =>
        queue.write(() => {
          tried += 1;
          connection.prepare("INSERT INTO t VALUES (?, zeroblob(100000))").run(n);
        }),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(Array(100).fill("rejected"));
    expect(tried).toBe(4);
  });

  it("after a disk failure, checkpoints the log into the file and restarts the log before it writes more", async () => {
    await insert(1);
    const failed = queue.write(() => {
      throw new Database.SqliteError("disk I/O error", "SQLITE_IOERR_FSYNC");
    });
    await expect(failed).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringContaining("cannot be read or written"),
    });
    const beforeTheLog = statSync(join(folder, "a.db-wal")).size;
    // An open reader prevents the restart of the log.
    const reader = new Database(join(folder, "a.db"));
    reader.exec("BEGIN");
    reader.prepare("SELECT * FROM t").all();
    let isWritten = false;
    const next = insert(2).then(() => (isWritten = true));
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect([isWritten, statSync(join(folder, "a.db-wal")).size]).toEqual([false, beforeTheLog]);
    reader.exec("COMMIT");
    reader.close();
    await next;
    expect(statSync(join(folder, "a.db-wal")).size).toBeLessThan(beforeTheLog);
    expect(rows()).toEqual([1, 2]);
  });

  it("notifies no listener of a transaction that changed nothing", async () => {
    await queue.write(() => rows());
    expect(notifications).toBe(0);
  });

  it("rejects operations beyond its limit", async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 10_001 }, (_, n) => insert(n)));
    expect(outcomes.filter((outcome) => outcome.status === "rejected")).toMatchObject([
      { reason: { code: "store_unavailable" } },
    ]);
    expect(rows()).toHaveLength(10_000);
  });
});
