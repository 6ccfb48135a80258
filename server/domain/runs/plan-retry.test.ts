import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RetryPolicy } from "../../contract/project/options.ts";
import { planRetry } from "./plan-retry.ts";

const policies: fc.Arbitrary<RetryPolicy> = fc.record({
  attempts: fc.integer({ min: 1, max: 100 }),
  backoff: fc.constantFrom("exponential" as const, "fixed" as const),
  initialMs: fc.integer({ min: 0, max: 86_400_000 }),
  maxMs: fc.integer({ min: 0, max: 30 * 86_400_000 }),
});
const days = (count: number) => count * 86_400_000;
const failure = { isRetryable: true };
const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe("planRetry", () => {
  test("never waits longer than the policy's maximum, nor into the past", () => {
    fc.assert(
      fc.property(
        policies,
        fc.integer({ min: 1, max: 99 }),
        randoms,
        fc.integer({ min: 0, max: 4e12 }),
        (policy, attempt, random, now) => {
          const plan = planRetry({ policy, attempt, maxAttempts: attempt + 1, failure, now, random: () => random });
          if (plan.kind !== "retry") throw new Error("an attempt was left");
          expect(plan.availableAt).toBeGreaterThanOrEqual(now);
          expect(plan.availableAt).toBeLessThanOrEqual(now + policy.maxMs);
          expect(Number.isInteger(plan.availableAt)).toBe(true);
        },
      ),
    );
  });

  test("never plans an attempt beyond the last one", () => {
    fc.assert(
      fc.property(
        policies,
        fc.integer({ min: 1, max: 100 }),
        fc.nat(5),
        randoms,
        (policy, maxAttempts, beyond, random) => {
          const attempt = maxAttempts + beyond;
          for (const hint of [failure, { ...failure, retryAt: 9 }]) {
            const plan = planRetry({ policy, attempt, maxAttempts, failure: hint, now: 0, random: () => random });
            expect(plan).toEqual({ kind: "exhausted" });
          }
        },
      ),
    );
  });

  test("doubles the wait each time, within a fifth, until the maximum", () => {
    const policy: RetryPolicy = { attempts: 9, backoff: "exponential", initialMs: 1000, maxMs: 60_000 };
    const waits = (random: number) =>
      [1, 2, 3, 4, 8].map((attempt) => {
        const plan = planRetry({ policy, attempt, maxAttempts: 9, failure, now: 0, random: () => random });
        return plan.kind === "retry" ? plan.availableAt : null;
      });
    expect(waits(0.5)).toEqual([1000, 2000, 4000, 8000, 60_000]);
    expect(waits(0)).toEqual([800, 1600, 3200, 6400, 48_000]);
  });

  test("begins again with the first wait after a resume", () => {
    const policy: RetryPolicy = { attempts: 3, backoff: "exponential", initialMs: 1000, maxMs: 60_000 };
    const plan = (attempt: number) =>
      planRetry({ policy, attempt, attemptsBefore: 3, maxAttempts: 6, failure, now: 0, random: () => 0.5 });
    expect([4, 5, 6].map(plan)).toEqual([
      { kind: "retry", availableAt: 1000 },
      { kind: "retry", availableAt: 2000 },
      { kind: "exhausted" },
    ]);
  });

  test("keeps a fixed wait to the millisecond", () => {
    const policy: RetryPolicy = { attempts: 9, backoff: "fixed", initialMs: 250, maxMs: 60_000 };
    expect(planRetry({ policy, attempt: 7, maxAttempts: 9, failure, now: 10, random: () => 0.99 })).toEqual({
      kind: "retry",
      availableAt: 260,
    });
  });

  test("takes the time that the error requests: not before now, and at most 30 days ahead", () => {
    const policy: RetryPolicy = { attempts: 9, backoff: "fixed", initialMs: 250, maxMs: 1000 };
    const at = (retryAt: number) => {
      const hint = { isRetryable: true, retryAt };
      const plan = planRetry({ policy, attempt: 1, maxAttempts: 9, failure: hint, now: 5000, random: () => 0 });
      return plan.kind === "retry" ? plan.availableAt : null;
    };
    expect([4000, 5000, 8000, 5000 + days(29), days(90)].map(at)).toEqual([
      5000,
      5000,
      8000,
      5000 + days(29),
      5000 + days(30),
    ]);
  });

  test("plans nothing after an error that excludes a retry", () => {
    fc.assert(
      fc.property(policies, fc.integer({ min: 1, max: 99 }), randoms, (policy, attempt, random) => {
        const hint = { isRetryable: false, retryAt: 10 };
        expect(planRetry({ policy, attempt, maxAttempts: 100, failure: hint, now: 0, random: () => random })).toEqual({
          kind: "exhausted",
        });
      }),
    );
  });
});
