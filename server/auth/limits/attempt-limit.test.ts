import { expect, it } from "vitest";
import { AppError } from "../../contract/app-error.ts";
import { createAttemptLimit, createSignInLimits, networkOf } from "./attempt-limit.ts";

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
const passesOf = (addresses: readonly (string | null)[], limit = limitOfTen(), now = 0) =>
  addresses.map((address) => passes(() => limit(networkOf(address ?? ""), now)));

const others = (from: number) =>
  Array.from({ length: 5_100 }, (_, at) => `198.51.${(from + at) >> 8}.${(from + at) & 255}`);
const times = (count: number, address: string) => Array<string>(count).fill(address);

it("ten in a minute pass from one address, and one more every six seconds", () => {
  const limit = limitOfTen();
  expect(passesOf(times(11, "192.0.2.1"), limit)).toEqual([...Array<boolean>(10).fill(true), false]);
  expect(passesOf(["192.0.2.2", null], limit)).toEqual([true, true]);
  expect(passesOf(times(2, "192.0.2.1"), limit, 6_000)).toEqual([true, false]);
});

it("all IPv6 addresses of one network count as one, however they are written", () => {
  const written = ["2001:db8:0:1::1", "2001:db8:0:1:ffff::", "2001:DB8::1:0:0:0:9", "2001:0db8:0000:0001:1:2:3:4"];
  expect(passesOf([...written, ...written, ...written]).filter(Boolean)).toHaveLength(10);
  expect(passesOf(Array.from({ length: 12 }, (_, at) => `2001:db8:0:${at}::1`))).not.toContain(false);
  expect(passesOf(times(11, "::1")).at(-1)).toBe(false);
});

it("forgets those of longest ago, not those who try on", () => {
  const limit = limitOfTen();
  passesOf([...times(10, "192.0.2.1"), ...times(10, "192.0.2.2")], limit);
  expect(passesOf([...others(0), "192.0.2.1"], limit).at(-1)).toBe(false);
  expect(passesOf([...others(5_100), "192.0.2.1", "192.0.2.2"], limit).slice(-2)).toEqual([false, true]);
});

it("an account has thirty attempts a minute across all networks, except networks that have signed in to it before", () => {
  const limits = createSignInLimits();
  const attempt = (email: string, address: string) => passes(() => limits.take({ email, address, now: 0 }));
  limits.signedIn({ email: "ada@example.com", address: "192.0.2.1" });
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
