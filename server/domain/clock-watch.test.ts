import { describe, expect, it } from "vitest";
import { type ClockWatch, watchClock } from "./clock-watch.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const start = 1_000 * day;

/** One reading of the clock: the time since the previous one, and by how much the clock differs from the real time. */
type Reading = [passed: number, ahead: number, how?: "restarted"];

/** The readings of a service, each with whether its clock is trusted. The service has run for long. */
function trustOf(readings: readonly Reading[]): boolean[] {
  let watch: ClockWatch | null = { seenAt: start, trustedAt: start, waitingSince: null };
  let real = start;
  return readings.map(([passed, ahead, how]) => {
    real += passed;
    watch = watchClock(watch, { now: real + ahead, elapsedMs: how === "restarted" ? 0 : passed });
    return watch.waitingSince === null;
  });
}

const rounds = (count: number, ahead: number): Reading[] =>
  Array.from({ length: count }, () => [10 * minute, ahead] as Reading);

describe("the clock of upkeep", () => {
  it.each<[what: string, readings: Reading[], isTrusted: boolean]>([
    ["runs on", rounds(3, 0), true],
    ["runs on, even if a round takes nine hours", [[9 * hour, 0]], true],
    ["is 40 days ahead", [[10 * minute, 40 * day]], false],
    ["is 40 days ahead after a restart", [[minute, 40 * day, "restarted"]], false],
    ["is 40 days ahead, and stays so for an hour", rounds(6, 40 * day), false],
    ["is 40 days ahead, for almost a day", rounds(24 * 6, 40 * day), false],
    ["is 40 days ahead, for a day", rounds(24 * 6 + 1, 40 * day), true],
    ["is three hours ahead, for two hours", rounds(12, 3 * hour), false],
    ["is three hours ahead, for more than three hours", rounds(20, 3 * hour), true],
    ["jumps again while it is not trusted", [...rounds(140, 40 * day), ...rounds(6, 80 * day)], false],
    ["is set back to the real time", [...rounds(1, 40 * day), ...rounds(1, 0)], true],
    ["is set back to the real time after five hours", [...rounds(30, 40 * day), ...rounds(1, 0)], false],
    ["was set back to the real time six hours ago", [...rounds(30, 40 * day), ...rounds(40, 0)], true],
    ["is set back, and is still ahead", [...rounds(3, 40 * day), ...rounds(3, 20 * day)], false],
    ["is behind", rounds(1, -40 * day), true],
    ["was behind, and is right again: that is a jump", [...rounds(3, -40 * day), ...rounds(1, 0)], false],
    ["continues after a short stop", [[50 * minute, 0, "restarted"]], true],
    ["continues after a stop of 40 days", [[40 * day, 0, "restarted"]], false],
    ["continues after a stop of 40 days, for a day", [[40 * day, 0, "restarted"], ...rounds(24 * 6, 0)], true],
    [
      "jumps, and is stopped for a day",
      [
        [minute, 40 * day],
        [day, 40 * day, "restarted"],
      ],
      false,
    ],
  ])("that %s", (_, readings, isTrusted) => {
    expect(trustOf(readings).at(-1)).toBe(isTrusted);
  });

  it("without a record is trusted after a day", () => {
    let watch = watchClock(null, { now: start, elapsedMs: 0 });
    const trusted: boolean[] = [];
    for (let hours = 1; hours <= 24; hours += 1) {
      watch = watchClock(watch, { now: start + hours * hour, elapsedMs: hour });
      trusted.push(watch.waitingSince === null);
    }
    expect(trusted).toEqual([...Array<boolean>(23).fill(false), true]);
  });
});
