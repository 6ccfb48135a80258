import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RetryPolicy } from "../../contract/project/options.ts";
import { type FailedTries, keepsWorker, planNextTry, readFailedTries } from "./step-tries.ts";

const error = { name: "HttpError", message: "503", stack: null };
const policy: RetryPolicy = { attempts: 3, backoff: "fixed", initialMs: 1000, maxMs: 60_000 };
const failure = { isRetryable: true };
const plan = (over: Partial<Parameters<typeof planNextTry>[0]>) =>
  planNextTry({ policy, before: null, error, failure, now: 50, random: () => 0.5, ...over });

/** As the engine stores failed tries. */
const toRecord = ({ nextAt, ...result }: FailedTries, attempt: number) => ({
  attempt,
  finishedAt: null,
  until: nextAt,
  result: { ...result, usedMs: 7 },
});

describe("planNextTry", () => {
  test("counts the try, and plans the next one while retries are left", () => {
    const first = plan({});
    expect(first).toEqual({ tries: 1, error, failedAt: 50, nextAt: 1050 });
    const second = plan({ before: first, now: 2000 });
    expect(second).toEqual({ tries: 2, error, failedAt: 2000, nextAt: 3000 });
    expect(plan({ before: second, now: 4000 })).toEqual({ tries: 3, error, failedAt: 4000, nextAt: null });
  });

  test("plans no try after an error that excludes one", () => {
    expect(plan({ failure: { isRetryable: false } })).toMatchObject({ tries: 1, nextAt: null });
  });

  test("takes the time that the error requests, which counts as a try", () => {
    expect(plan({ failure: { isRetryable: true, retryAt: 90_000 } })).toMatchObject({ tries: 1, nextAt: 90_000 });
  });

  test("a step is tried at most as often as its policy says, and exactly as often if no error excludes it", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.array(fc.boolean(), { minLength: 100, maxLength: 100 }),
        (attempts, errors) => {
          let before: FailedTries | null = null;
          let tries = 0;
          for (const isRetryable of errors) {
            tries += 1;
            before = plan({ policy: { ...policy, attempts }, before, failure: { isRetryable } });
            if (before.nextAt === null) break;
          }
          const excluded = errors.indexOf(false) + 1;
          expect(tries).toBe(excluded > 0 && excluded < attempts ? excluded : attempts);
        },
      ),
    );
  });
});

describe("readFailedTries", () => {
  test("returns what was stored, in the attempt in which it was made, and nothing in another", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        (made, read, isOver) => {
          const failed: FailedTries = { tries: 2, error, failedAt: 50, nextAt: isOver ? null : 1050 };
          expect(readFailedTries(toRecord(failed, made), read)).toEqual(made === read ? failed : null);
        },
      ),
    );
  });

  test.each([
    ["no record", undefined],
    ["a completed step", { ...toRecord(plan({}), 1), finishedAt: 60 }],
    ["a step of another version", { ...toRecord(plan({}), 1), result: { count: 2 } }],
  ])("returns nothing for %s", (_, record) => {
    expect(readFailedTries(record, 1)).toBeNull();
  });
});

test("a run keeps its worker for waits of up to five seconds", () => {
  expect([0, 5000, 5001].map((ms) => keepsWorker({ nextAt: 100 + ms, now: 100 }))).toEqual([true, true, false]);
});
