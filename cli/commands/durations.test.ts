import * as fc from "fast-check";
import { expect, test } from "vitest";
import { startOfPeriod, parseAgo, parseLifetime, parseSince } from "./options.ts";
import { maxDurationMs, parseDuration } from "../../sdk/duration.ts";
import { readRetryAfter } from "../../sdk/retry-after.ts";
import { readStepOptions } from "../../sdk/retry-options.ts";

const tooLong = [
  "200000000d",
  "36526d",
  "1e9d",
  `${"9".repeat(400)}d`,
  "876601h",
  "99999999999999999ms",
  Infinity,
  1e15,
];
const invalid = [
  ...tooLong,
  NaN,
  -1,
  "-1s",
  "",
  "d",
  "1 d",
  "1w",
  "Infinity",
  "Infinityd",
  "0x1d",
  "1.d",
  null,
  {},
  [],
  true,
  1n,
];

test.for(invalid)("%s is no duration", (value) => {
  expect(parseDuration(value)).toBeNull();
});

test("100 years are a duration, and so is every shorter time", () => {
  expect([parseDuration("36525d"), parseDuration(maxDurationMs), parseDuration(0)]).toEqual([
    maxDurationMs,
    maxDurationMs,
    0,
  ]);
});

test("every duration leads to a time that has a date, from now and before now", () => {
  const units = fc.constantFrom("ms", "s", "m", "h", "d");
  const texts = fc.tuple(fc.double({ min: 0, noNaN: true }), units).map(([count, unit]) => `${count}${unit}`);
  fc.assert(
    fc.property(
      fc.oneof(
        texts,
        fc.double(),
        fc.bigInt({ min: 0n }).map((days) => `${days}d`),
      ),
      (given) => {
        const ms = parseDuration(given);
        const now = Date.UTC(2026, 0, 1);
        for (const at of ms === null ? [] : [now + ms, now - ms]) expect(new Date(at).toISOString()).not.toBe("");
      },
    ),
  );
});

test.for(tooLong)("%s is rejected wherever a duration is given", (value) => {
  expect(() => readStepOptions({ timeout: value }, "ctx.step")).toThrow(TypeError);
  expect(() => readStepOptions({ retries: 1, maxDelay: value }, "ctx.step")).toThrow(TypeError);
  expect(() => readStepOptions({ retries: 1, initialDelay: value, maxDelay: value }, "ctx.step")).toThrow(TypeError);
  if (typeof value !== "string") return;
  expect(() => parseAgo(value)).toThrow("at most 36525d");
  expect(() => parseLifetime(value)).toThrow("at most 36525d");
  expect(readRetryAfter(value, 0)).toBeNull();
});

test("the longest period has a start", () => {
  expect(startOfPeriod(parseAgo("36525d"), Date.UTC(2026, 0, 1))).toBe("1926-01-01T00:00:00.000Z");
});

test.for(["2026-11-21", "2026-11-21T10:00:00Z", "2026-11-21T10:00:00.5+02:00", "0001-01-01T00:00:00Z"])(
  "--since takes a time as the API does: %s",
  (time) => {
    expect(startOfPeriod(parseSince(time), 0)).toBe(time);
  },
);

test.for(["2026-02-30", "2026-11-21T10:00", "10889-01-01", "yesterday", "", "0d", ...tooLong.map(String)])(
  "--since %s is wrong usage, and the message has both forms",
  (value) => {
    expect(() => parseSince(value)).toThrow(/7d.*36525d.*2026-11-21T10:00:00Z/);
  },
);
