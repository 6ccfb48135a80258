import { expect, it } from "vitest";
import { describeOperation, describeStall, findStall } from "./store-stall.ts";

const now = 100_000;
const waits = (ms: number, operation = "acceptDelivery") => ({ operation, since: now - ms });

it.each<[string, Parameters<typeof findStall>[0], number | null]>([
  ["nothing waits", { oldest: null, answeredAt: 0, now }, null],
  ["an operation waits for less than 5 s", { oldest: waits(4_999), answeredAt: 0, now }, null],
  ["an operation waits for 5 s, and none was answered meanwhile", { oldest: waits(5_000), answeredAt: 0, now }, 5_000],
  [
    "an operation waits, and another was answered a moment ago",
    { oldest: waits(60_000), answeredAt: now - 1, now },
    null,
  ],
  ["the last answer was 7 s ago", { oldest: waits(60_000), answeredAt: now - 7_000, now }, 7_000],
])("%s", (_, given, ms) => expect(findStall(given)?.ms ?? null).toBe(ms));

it("says what waits, and for how long", () => {
  const stall = findStall({ oldest: waits(6_000), answeredAt: 0, now });
  expect(stall && describeStall(stall)).toBe("The store has not responded for 6 s (write of a webhook).");
  expect(["claimRuns", "listKeys", "saveAlertPlan"].map(describeOperation)).toEqual(["claim of runs", "read", "write"]);
});
