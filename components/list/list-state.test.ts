import { array, assert, constant, nat, oneof, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import type { Page } from "../../server/contract/list.ts";
import {
  addPage,
  countUnshown,
  type FirstPage,
  joinNewer,
  type ListState,
  newerThanOf,
  putRows,
  takeApart,
  takeFirst,
} from "./list-state.ts";

interface Row {
  id: number;
  status?: string;
}

const rowKey = (row: Row) => String(row.id);
const ids = (list: ListState<Row>) => list.rows.map((row) => row.id);
const page = (newest: number, oldest: number, nextCursor: string | null = `before-${oldest}`): Page<Row> => ({
  data: Array.from({ length: newest - oldest + 1 }, (_, index): Row => ({ id: newest - index })),
  nextCursor,
});
const range = (newest: number, oldest: number) => page(newest, oldest).data.map((row) => row.id);
const first = (list: ListState<Row> | undefined, fresh: FirstPage<Row>, at: number) =>
  takeFirst({ list, page: fresh, at, rowKey, pageRows: 5 });
const begin = () => first(undefined, page(10, 6), 1);

describe("a live list", () => {
  it("adds new rows on top and keeps the pages below", () => {
    const deep = addPage({ list: begin(), page: page(5, 1, null), rowKey });
    const list = first(deep, page(12, 8), 2);
    expect(ids(list)).toEqual(range(12, 1));
    expect(list.cursor).toBeNull();
  });

  it("updates known rows and removes deleted ones", () => {
    const fresh = { data: [{ id: 10, status: "failed" }, { id: 8 }, { id: 7 }], nextCursor: "before-7" };
    const list = first(begin(), fresh, 2);
    expect(list.rows).toEqual([{ id: 10, status: "failed" }, { id: 8 }, { id: 7 }, { id: 6 }]);
  });

  it("stores a first page with a gap, and resets to it on request", () => {
    const list = first(begin(), page(30, 26), 2);
    expect(ids(list)).toEqual(range(10, 6));
    expect(ids(takeApart(list))).toEqual(range(30, 26));
    expect(takeApart(list).cursor).toBe("before-26");
    expect(takeApart(begin())).toEqual(begin());
  });

  it("joins a short first page if it is fetched every second, and not after a long pause", () => {
    const short = { data: [{ id: 20 }], nextCursor: "looked-to-15" };
    expect(ids(first(begin(), short, 1_000))).toEqual([20, ...range(10, 6)]);
    expect(first(begin(), short, 60_000).apart).toEqual(short);
  });

  it("stays when the first page is empty but not the end", () => {
    const list = first(begin(), { data: [], nextCursor: "looked-to-15" }, 60_000);
    expect(ids(list)).toEqual(range(10, 6));
    expect(list.apart).toBeNull();
  });

  it("is the first page if there are no more", () => {
    expect(ids(first(begin(), { data: [], nextCursor: null }, 2))).toEqual([]);
  });

  it("reads only newer rows for a minute, and keeps the current version of the others", () => {
    const known = { ...page(10, 6), newest: "at-10" };
    const newer = { data: [{ id: 11 }, { id: 10, status: "failed" }], nextCursor: null, newest: "at-11" };
    const joined = joinNewer({ first: known, readAt: 1_000, newer, rowKey });
    expect(joined.data).toEqual([...newer.data, ...page(9, 6).data]);
    expect(joined.nextCursor).toBe("before-6");
    const refetched = putRows({ list: first(undefined, known, 1), fresh: [{ id: 7, status: "completed" }], rowKey });
    const list = first(refetched, joined, 2);
    expect(list.rows).toEqual([...newer.data, { id: 9 }, { id: 8 }, { id: 7, status: "completed" }, { id: 6 }]);
    const newerThan = (now: number) => newerThanOf(joined, { readAt: now - 1, now });
    expect([newerThan(2_000), newerThan(61_000)]).toEqual(["at-11", null]);
    expect(newerThanOf(undefined, { readAt: 0, now: 1 })).toBeNull();
  });

  it("has a gap if more rows are newer than fit on a page, without reading them twice", () => {
    const newer = { ...page(30, 26), newest: "at-30" };
    const joined = joinNewer({ first: { ...page(10, 6), newest: "at-10" }, readAt: 1_000, newer, rowKey });
    expect(joined).toBe(newer);
    expect(first(begin(), joined, 2).apart).toBe(newer);
    expect(ids(first(begin(), joinNewer({ first: page(10, 6), readAt: 0, newer: page(12, 8), rowKey }), 2))).toEqual(
      range(12, 6),
    );
  });

  it("ignores a known or older first page", () => {
    const list = first(begin(), page(12, 8), 5);
    expect(first(list, page(12, 8), 5)).toBe(list);
    expect(first(list, page(10, 6), 4)).toBe(list);
  });

  it("does not grow without limit: after 500 rows on top it is reset", () => {
    let list = begin();
    for (let newest = 13; newest < 1_000 && !list.apart; newest += 3)
      list = first(list, page(newest, newest - 4), newest);
    expect(list.rows.length).toBeLessThan(520);
    expect(takeApart(list).rows).toHaveLength(5);
  });

  it("has the time back to which the last page searched, until a page is full", () => {
    const searchedTo = "2026-11-21T10:00:00.000Z";
    const list = addPage({ list: begin(), page: { data: [], nextCursor: "c", searchedTo }, rowKey });
    expect([begin().searchedTo, list.searchedTo]).toEqual([null, searchedTo]);
    expect(addPage({ list, page: page(5, 1), rowKey }).searchedTo).toBeNull();
    expect(first(undefined, { data: [], nextCursor: "c", searchedTo }, 1).searchedTo).toBe(searchedTo);
  });

  it("updates rows below the first page when they are refetched", () => {
    const deep = addPage({ list: begin(), page: page(5, 1, null), rowKey });
    const list = putRows({ list: deep, fresh: [{ id: 3, status: "failed" }, { id: 99 }], rowKey });
    expect(list.rows.find(({ id }) => id === 3)).toEqual({ id: 3, status: "failed" });
    expect(ids(list)).toEqual(ids(deep));
    expect(putRows({ list, fresh: [{ id: 3, status: "failed" }], rowKey })).toBe(list);
  });

  it("never shows a row twice or out of order, for any sequence of pages", () => {
    const steps = array(
      oneof(
        record({ kind: constant("arrive"), count: nat(12) }),
        record({ kind: constant("older"), count: constant(0) }),
      ),
      { maxLength: 30 },
    );
    assert(
      property(steps, (moves) => {
        let newest = 100;
        let list = first(undefined, page(newest, newest - 4), 0);
        for (const [at, move] of moves.entries()) {
          newest += move.count;
          if (move.kind === "arrive") list = first(list, page(newest, newest - 4), at + 1);
          else
            list = addPage({
              list,
              page: page(Number(list.cursor?.slice(7)) - 1, Number(list.cursor?.slice(7)) - 5),
              rowKey,
            });
          const shown = ids(list);
          expect(shown).toEqual(range(shown[0] ?? 0, shown.at(-1) ?? 0));
        }
      }),
    );
  });
});

describe("rows that the reader has not seen", () => {
  const rows = page(12, 6).data;

  it("are those above the first shown row", () => {
    expect(countUnshown({ rows, rowKey, shownKeys: ["10", "9"] })).toBe(2);
  });

  it("are counted from the next shown row if the first one is deleted", () => {
    expect(countUnshown({ rows, rowKey, shownKeys: ["99", "9"] })).toBe(3);
  });

  it("are none if all shown rows are deleted", () => {
    expect(countUnshown({ rows, rowKey, shownKeys: ["99"] })).toBe(0);
  });
});
