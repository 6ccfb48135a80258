import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "../contract/app-error.ts";
import { createThrottledLogger, type Logger, silentLogger } from "./logger.ts";

interface Line {
  message: string;
  fields: Record<string, unknown>;
}

/** A logger with a clock that the test moves. */
function createLog(): { logger: Logger; lines: Line[]; clock: { now: number } } {
  const lines: Line[] = [];
  const clock = { now: 0 };
  const write = (message: string, fields: Record<string, unknown> = {}) => void lines.push({ message, fields });
  const logger = createThrottledLogger({ ...silentLogger, warn: write, error: write, info: write }, () => clock.now);
  return { logger, lines, clock };
}

const away = (text = "The database cannot be reached.") => new AppError("store_unavailable", text);
const operations = [
  "could not claim runs, retrying",
  "lease renewal failed; it will be retried",
  "worker heartbeat failed",
];

describe("a throttled log", () => {
  test("writes the first line immediately, then one a minute with the number of suppressed lines", () => {
    const { logger, lines, clock } = createLog();
    for (; clock.now < 130_000; clock.now += 10) logger.warn("connection limit reached", { at: clock.now });
    expect(lines.map(({ fields }) => fields)).toEqual([
      { at: 0 },
      { at: 60_000, suppressed: 5_999 },
      { at: 120_000, suppressed: 5_999 },
    ]);
  });

  test("writes a line a minute for all operations while the store is unavailable, and each message once", () => {
    const { logger, lines, clock } = createLog();
    for (; clock.now < 10 * 60_000; clock.now += 100)
      for (const message of operations) logger.warn(message, { error: away(), retryMs: clock.now });
    expect(lines).toHaveLength(operations.length + 9);
    expect(new Set(lines.map(({ message }) => message)).size).toBe(operations.length);
    expect(lines.filter(({ fields }) => fields["error"] instanceof Error)).toHaveLength(1);
    expect(lines.at(-1)?.fields["error"]).toBe("AppError: The database cannot be reached.");
  });

  test("writes the stack of each different failure of the store once", () => {
    const { logger, lines, clock } = createLog();
    for (; clock.now < 10 * 60_000; clock.now += 100)
      logger.warn("store unavailable", {
        error: away(clock.now % 200 === 0 ? "The disk is full." : "The disk failed."),
      });
    const stacks = lines.flatMap(({ fields }) => (fields["error"] instanceof Error ? [fields["error"].message] : []));
    expect(stacks.toSorted()).toEqual(["The disk failed.", "The disk is full."]);
  });

  test("distinguishes errors by the code that created them, and lines by their runs and workers", () => {
    const { logger, lines } = createLog();
    logger.error("request failed", { error: new Error("one") });
    logger.error("request failed", { error: new Error("two") });
    for (const runId of ["run_1", "run_2", "run_1"]) logger.warn("run ended", { runId, status: "failed" });
    for (const workerId of ["wrk_1", "wrk_2", "wrk_1"]) logger.warn("worker is late", { workerId });
    expect(lines).toHaveLength(6);
  });

  test("always writes messages without fields, and levels below a warning", () => {
    const { logger, lines } = createLog();
    for (let n = 0; n < 3; n += 1) logger.error("The receiver was killed by SIGKILL. It restarts.");
    for (let n = 0; n < 3; n += 1) logger.info("ready", { version: "v" });
    expect(lines).toHaveLength(6);
  });

  test("writes a problem completely again if it was absent for ten minutes", () => {
    const { logger, lines, clock } = createLog();
    const fail = () => logger.warn("store unavailable", { error: away() });
    fail();
    clock.now += 10 * 60_000;
    fail();
    expect(lines.map(({ fields }) => fields["error"] instanceof Error)).toEqual([true, true]);
  });

  test("writes at most one line a minute of every problem, and loses no count, at every rate", () => {
    const reports = fc.array(
      fc.record({ waitMs: fc.integer({ min: 0, max: 30_000 }), at: fc.nat({ max: 2 }), isError: fc.boolean() }),
      { maxLength: 300 },
    );
    fc.assert(
      fc.property(reports, (all) => {
        const { logger, lines, clock } = createLog();
        for (const { waitMs, at, isError } of all) {
          clock.now += waitMs;
          const message = operations[at] ?? "";
          if (isError) logger.error(message, { retryMs: waitMs });
          else logger.warn(message, { retryMs: waitMs });
        }
        for (const message of operations) {
          const own = lines.filter((line) => line.message === message);
          expect(own.length).toBeLessThanOrEqual(1 + Math.floor(clock.now / 60_000));
          const counted = own.reduce((sum, { fields }) => sum + 1 + Number(fields["suppressed"] ?? 0), 0);
          const reported = all.filter(({ at }) => operations[at] === message).length;
          expect(counted).toBeLessThanOrEqual(reported);
        }
      }),
    );
  });
});
