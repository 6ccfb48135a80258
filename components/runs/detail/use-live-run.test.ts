import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeTimeline, readNewEntries } from "./use-live-run.ts";
import { timelineOf, timelines } from "../../../server/domain/runs/testing/timeline.ts";

describe("a timeline that grows", () => {
  it("is the same list when nothing is new, so that nothing rerenders", () => {
    fc.assert(
      fc.property(timelines, fc.nat(), (entries, from) => {
        expect(mergeTimeline(entries, [])).toBe(entries);
        expect(mergeTimeline(entries, entries.slice(from % entries.length))).toBe(entries);
      }),
    );
  });

  it("has each entry once and in order, with any overlap of its pages", () => {
    fc.assert(
      fc.property(timelines, fc.array(fc.tuple(fc.nat(), fc.nat())), (entries, cuts) => {
        let known: typeof entries = [];
        for (const [from, length] of cuts)
          known = mergeTimeline(known, entries.slice(from % entries.length).slice(0, length % 20));
        expect(known).toEqual(entries.filter((entry) => known.includes(entry)));
        expect(mergeTimeline(known, entries)).toEqual(entries);
      }),
    );
  });

  it("is fetched to its end, after the known entries, in any number of pages", async () => {
    const all = timelineOf(...Array.from({ length: 1_300 }, (_, index): [number, "log"] => [index, "log"]));
    const asked: number[] = [];
    const events: number[] = [];
    const fetchAfter = async (after: number) => {
      asked.push(after);
      return all.filter(({ id }) => id > after).slice(0, 600);
    };
    expect(
      await readNewEntries(all.slice(0, 10), { fetchAfter, onEntries: (entries) => events.push(entries.length) }),
    ).toEqual(all);
    expect([asked, events]).toEqual([
      [10, 610, 1210],
      [610, 1210],
    ]);
  });
});
