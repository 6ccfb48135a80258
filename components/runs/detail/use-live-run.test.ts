import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeTimeline } from "./use-live-run.ts";
import { timelines } from "../../../server/domain/runs/testing/timeline.ts";

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
});
