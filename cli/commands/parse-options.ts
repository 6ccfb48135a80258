import { InvalidArgumentError } from "commander";
import { parseDuration } from "../../sdk/duration.ts";

/** Parsers of option values. Invalid values are wrong usage. */
function wholeNumber(name: string, min: number, max: number): (value: string) => number {
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`${name} must be a whole number from ${min} to ${max}.`);
  };
}

export const parsePort = wholeNumber("The port", 0, 65_535);
export const parseLimit = wholeNumber("The limit", 1, 100);

export const parseTokens = wholeNumber("The number of tokens", 0, Number.MAX_SAFE_INTEGER);

/** US dollars. */
export function parseDollars(value: string): number {
  const dollars = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isFinite(dollars)) return dollars;
  throw new InvalidArgumentError("The amount must be in US dollars, e.g. 0.5.");
}

const roles = ["all", "web", "worker"] as const;
export type Role = (typeof roles)[number];

/** The processes of a machine. */
export function parseRole(value: string): Role {
  const role = roles.find((known) => known === value);
  if (role) return role;
  throw new InvalidArgumentError(`The role must be one of ${roles.join(", ")}.`);
}

/** Milliseconds. */
export function parseLifetime(value: string): number {
  const ms = parseDuration(value);
  if (ms !== null && ms > 0) return ms;
  throw new InvalidArgumentError("The lifetime must be a number with a unit, e.g. 12h or 90d.");
}

/** Milliseconds. */
export function parseAgo(value: string): number {
  const ms = parseDuration(value);
  if (ms !== null && ms > 0) return ms;
  throw new InvalidArgumentError("The duration must be a number with a unit, e.g. 30m, 24h or 7d.");
}

/** Milliseconds, possibly 0. */
export function parseOverlap(value: string): number {
  const ms = value === "0" ? 0 : parseDuration(value);
  if (ms !== null && ms <= maxOverlapMs) return ms;
  throw new InvalidArgumentError("The overlap must be a number with a unit, e.g. 1h or 7d, at most 90d, or 0.");
}

const maxOverlapMs = 90 * 24 * 60 * 60 * 1000;

export function collect(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}
