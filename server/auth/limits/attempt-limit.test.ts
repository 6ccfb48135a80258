import { expect, it } from "vitest";
import { AppError } from "../../contract/app-error.ts";
import { createAttemptLimit, createSignInLimits } from "./attempt-limit.ts";

/** Whether this attempt passes. */
function passes(attempt: () => void): boolean {
  try {
    attempt();
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "rate_limited") return false;
    throw error;
  }
}

const limitOfTen = () => createAttemptLimit({ perMinute: 10 });
const passesOf = (networks: readonly string[], limit: ReturnType<typeof limitOfTen>, now = 0) =>
  networks.map((network) => passes(() => limit(network, now)));

const others = (from: number) =>
  Array.from({ length: 5_100 }, (_, at) => `198.51.${(from + at) >> 8}.${(from + at) & 255}`);
const times = (count: number, network: string) => Array<string>(count).fill(network);

it("ten in a minute pass from one network, and one more every six seconds", () => {
  const limit = limitOfTen();
  expect(passesOf(times(11, "192.0.2.1"), limit)).toEqual([...Array<boolean>(10).fill(true), false]);
  expect(passesOf(["192.0.2.2", ""], limit)).toEqual([true, true]);
  expect(passesOf(times(2, "192.0.2.1"), limit, 6_000)).toEqual([true, false]);
});

it("forgets those of longest ago, not those who try on", () => {
  const limit = limitOfTen();
  passesOf([...times(10, "192.0.2.1"), ...times(10, "192.0.2.2")], limit);
  expect(passesOf([...others(0), "192.0.2.1"], limit).at(-1)).toBe(false);
  expect(passesOf([...others(5_100), "192.0.2.1", "192.0.2.2"], limit).slice(-2)).toEqual([false, true]);
});

it("an account has thirty attempts a minute across all networks, except networks that have signed in to it before", () => {
  const limits = createSignInLimits();
  const attempt = (email: string, network: string) => passes(() => limits.take({ email, network, now: 0 }));
  limits.signedIn({ email: "ada@example.com", network: "192.0.2.1" });
  const guesses = Array.from({ length: 40 }, (_, at) =>
    attempt(at % 2 ? "Ada@example.com" : "ada@example.com", `198.51.100.${at}`),
  );
  expect(guesses).toEqual([...Array<boolean>(30).fill(true), ...Array<boolean>(10).fill(false)]);
  expect([
    attempt("ada@example.com", "192.0.2.1"),
    attempt("ada@example.com", "192.0.2.2"),
    attempt("eve@example.com", "192.0.2.2"),
  ]).toEqual([true, false, true]);
});
