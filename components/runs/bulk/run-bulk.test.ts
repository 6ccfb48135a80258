import { describe, expect, it } from "vitest";
import { type BulkProgress, batchesOfIds, runBulk } from "./run-bulk.ts";

const ids = Array.from({ length: 120 }, (_, index) => `run_${index}`);
const never = new AbortController().signal;

describe("a bulk action", () => {
  it("runs batch by batch to the end, reports progress, and lists failed runs", async () => {
    const events: BulkProgress[] = [];
    const asked: number[] = [];
    const runBatch = batchesOfIds(ids, async (part) => {
      asked.push(part.length);
      return { done: part.length - 1, skipped: [], failed: [{ id: part[0] ?? "", message: "no" }] };
    });
    const end = await runBulk({ runBatch, signal: never, onProgress: (progress) => events.push(progress) });
    expect(asked).toEqual([50, 50, 20]);
    expect(events.map(({ done, state }) => [done, state])).toEqual([
      [49, "working"],
      [98, "working"],
      [117, "finished"],
    ]);
    expect(end.failed.map(({ id }) => id)).toEqual(["run_0", "run_50", "run_100"]);
  });

  it("continues after empty batches", async () => {
    const answers = [null, "a", "b"].map((cursor) => ({
      done: cursor === null ? 1 : 0,
      skipped: [],
      failed: [],
      nextCursor: cursor === null ? "a" : cursor === "a" ? "b" : null,
    }));
    const end = await runBulk({
      runBatch: async () => answers.shift() ?? { done: 0, skipped: [], failed: [], nextCursor: null },
      signal: never,
      onProgress: () => {},
    });
    expect([end.done, end.state, answers]).toEqual([1, "finished", []]);
  });

  it("stops after the current batch", async () => {
    const stop = new AbortController();
    const runBatch = batchesOfIds(ids, async (part) => {
      stop.abort();
      return { done: part.length, skipped: [], failed: [] };
    });
    expect(await runBulk({ runBatch, signal: stop.signal, onProgress: () => {} })).toMatchObject({
      done: 50,
      state: "stopped",
    });
  });

  it("keeps completed batches when one fails", async () => {
    const error = new Error("gone");
    const runBatch = batchesOfIds(ids, async (part) => {
      if (part.includes("run_60")) throw error;
      return { done: part.length, skipped: [], failed: [] };
    });
    expect(await runBulk({ runBatch, signal: never, onProgress: () => {} })).toMatchObject({
      done: 50,
      state: "broken",
      error,
    });
  });
});
