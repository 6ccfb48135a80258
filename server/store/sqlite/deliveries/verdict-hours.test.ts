import { expect, it } from "vitest";
import { toPositionId } from "../lists/list-reader.ts";
import { nextRegion } from "./verdict-hours.ts";

const hour = 3_600_000;
const known = { hours: [9 * hour, 8 * hour, 5 * hour], countedFrom: 4 * hour };
const start = (n: number) => ({ at: n * hour, id: toPositionId(0) });

it.each([
  ["at the start of the list, the newest hour", null, { after: start(10), downTo: start(9) }],
  [
    "within an hour, the rest of it",
    { at: 9 * hour + 7, id: "x" },
    { after: { at: 9 * hour + 7, id: "x" }, downTo: start(9) },
  ],
  ["at the start of an hour, the one before", start(9), { after: start(9), downTo: start(8) }],
  ["between hours, the next one with a count", { at: 7 * hour, id: "x" }, { after: start(6), downTo: start(5) }],
  ["after the last counted hour, everything before counting started", start(5), { after: start(4), downTo: null }],
  [
    "before counting started, the rest of the list",
    { at: 2 * hour, id: "x" },
    { after: { at: 2 * hour, id: "x" }, downTo: null },
  ],
])("searches, %s", (_, after, region) => {
  expect(nextRegion(known, after)).toEqual(region);
});

it("continues within the first millisecond of an hour", () => {
  expect(nextRegion(known, { at: 9 * hour, id: "dlv_1" })).toEqual({
    after: { at: 9 * hour, id: "dlv_1" },
    downTo: start(9),
  });
});
