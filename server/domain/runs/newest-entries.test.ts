import * as fc from "fast-check";
import { expect, it } from "vitest";
import { type TimelineEntry, timelineEntrySchema } from "../../contract/timeline.ts";
import { readNewestEntries } from "./newest-entries.ts";

const entryOf = (id: number): TimelineEntry =>
  timelineEntrySchema.parse({
    id,
    at: "2026-11-21T10:00:00.000Z",
    kind: "log",
    attempt: 1,
    name: null,
    level: "info",
    message: "",
    error: null,
    durationMs: null,
    until: null,
    data: null,
  });

/** The pages of the API: oldest first, the cursor is the id of the last entry. */
const pagesOf = (ids: number[], size: number) => async (cursor: string | undefined) => {
  const rest = ids.filter((id) => id > Number(cursor ?? 0));
  const data = rest.slice(0, size).map(entryOf);
  return { data, nextCursor: rest.length > size ? String(data.at(-1)?.id) : null };
};

it("the pages of every timeline, newest first, have every entry once and in order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 1, max: 10_000 }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 1, max: 25 }),
      async (unordered, size, limit) => {
        const ids = unordered.toSorted((a, b) => a - b);
        const pages: number[][] = [];
        let before: string | undefined;
        do {
          const { entries, olderCursor } = await readNewestEntries(pagesOf(ids, size), { limit, before });
          expect(entries.length).toBeLessThanOrEqual(limit);
          pages.unshift(entries.map(({ id }) => id));
          before = olderCursor ?? undefined;
        } while (before !== undefined);
        expect(pages.flat()).toEqual(ids);
        expect(pages).toHaveLength(Math.max(1, Math.ceil(ids.length / limit)));
      },
    ),
    { numRuns: 200 },
  );
});
