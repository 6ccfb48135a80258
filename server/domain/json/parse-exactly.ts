import { AppError } from "../../contract/app-error.ts";
import type { Json } from "../../contract/json.ts";
import { shortPointer } from "../../shared/json/json-pointer.ts";

/** The numbers of JSON that a number of JavaScript cannot represent. */

/** The value of a body, and the paths of its numbers that were rounded: JSON Pointers, at most 20. */
export interface ParsedJson {
  json: Json;
  rounded: readonly string[];
}

const maxRounded = 20;

/**
 * Parses JSON without changing a number silently. A number is kept if JavaScript prints it with the same decimal value,
 * and an integer beyond 2⁵³ if it is that integer exactly. Every other number is rounded, and its path is listed. With
 * `bigints: "string"`, it is a string in the sender's notation, as is every integer beyond 2⁵³. `-0` is 0, and listed.
 * Throws SyntaxError, and AppError `invalid_body` for a number that is too large. Takes linear time.
 */
export function parseExactly(text: string, bigints: "number" | "string"): ParsedJson {
  if (suspect.test(text))
    for (const [, source = ""] of text.matchAll(candidate))
      if (!isKept(source, bigints)) return parseWithSources(text, bigints);
  const json: Json = JSON.parse(text);
  return { json, rounded: [] };
}

/**
 * Numbers of at most 15 significant digits are exact, unless their exponent has three digits or more. This test runs
 * over every body, and takes a fraction of the time of JSON.parse. Strings can pass it: they only cost time.
 */
const suspect = /[\d.]{16}|\d[eE][+-]?\d{3}|-0/;
/** A number where a value begins: after a bracket, a comma or a colon. Its digits may be those of a string. */
const candidate = /(?:^|[[,:])[ \t\r\n]*(-?\d[\d.]*(?:[eE][+-]?\d+)?)/g;

/** A number that changes when JavaScript parses it, until its path is known. */
class InexactNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** Takes several times as long as JSON.parse. */
function parseWithSources(text: string, bigints: "number" | "string"): ParsedJson {
  const rounded: string[] = [];
  const path: string[] = [];
  // The types of TypeScript's library lack the source.
  const reviver = ((_: string, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === "number" && source !== undefined && !isKept(source, bigints)
      ? new InexactNumber(source)
      : value) as (key: string, value: unknown) => unknown;

  const settle = ({ source }: InexactNumber): string | number => {
    if (bigints === "string" && !isNegativeZero(source)) return source;
    const value = Number(source);
    if (!Number.isFinite(value)) throw tooLarge(shortPointer(path));
    if (rounded.length < maxRounded) rounded.push(shortPointer(path));
    return value === 0 ? 0 : value;
  };

  const replace = (value: unknown): unknown => {
    if (value instanceof InexactNumber) return settle(value);
    if (typeof value !== "object" || value === null) return value;
    for (const [key, child] of Object.entries(value)) {
      path.push(key);
      const replaced = replace(child);
      path.pop();
      // Only replaced values are written: an own `__proto__` stays as it is.
      if (replaced !== child)
        Object.defineProperty(value, key, { value: replaced, enumerable: true, writable: true, configurable: true });
    }
    return value;
  };
  return { json: replace(JSON.parse(text, reviver)) as Json, rounded };
}

/** The types of TypeScript's library lack raw JSON. */
const raw = JSON as unknown as { rawJSON(text: string): Json; isRawJSON(value: unknown): boolean };

/**
 * Parses JSON so that JSON.stringify prints each number with its value: one that JavaScript cannot represent is raw
 * JSON, an object with its source. `isExact`: there is none. Throws SyntaxError.
 */
export function parseRaw(text: string): { json: Json; isExact: boolean } {
  let isExact = true;
  const reviver = ((_: string, value: unknown, { source }: { source?: string } = {}) => {
    if (typeof value !== "number" || source === undefined || isKept(source, "number")) return value;
    isExact = false;
    return raw.rawJSON(source);
  }) as (key: string, value: unknown) => unknown;
  const json = JSON.parse(text, reviver) as Json;
  return { json, isExact };
}

/** A number that `parseRaw` kept as it was written. */
export function isRawNumber(value: unknown): boolean {
  return raw.isRawJSON(value);
}

function isKept(source: string, bigints: "number" | "string"): boolean {
  if (source.length < 16 && !/[eE]|^-0/.test(source)) return true;
  const number = Number(source);
  const isLongInteger = !Number.isSafeInteger(number) && /^-?\d+$/.test(source);
  if (!Number.isFinite(number) || isNegativeZero(source) || (isLongInteger && bigints === "string")) return false;
  const printed = String(number);
  if (printed !== source && !isSameDecimal(printed, source)) return false;
  return !isLongInteger || BigInt(number) === BigInt(source);
}

function isSameDecimal(one: string, two: string): boolean {
  const [first, second] = [decimalOf(one), decimalOf(two)];
  return first.digits === second.digits && (first.digits === "" || first.exponent === second.exponent);
}

/** The significant digits, and the power of ten of the last one. Zero has none. The sign is that of the number. */
function decimalOf(text: string): { digits: string; exponent: number } {
  const [, whole = "", fraction = "", exponent = "0"] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const all = whole + fraction;
  let start = 0;
  let end = all.length;
  while (start < end && all[start] === "0") start++;
  while (end > start && all[end - 1] === "0") end--;
  return { digits: all.slice(start, end), exponent: Number(exponent) - fraction.length + all.length - end };
}

/** `-0`, `-0.0` or `-0e1`. The JSON of the store has no negative zero. */
function isNegativeZero(source: string): boolean {
  return source.startsWith("-0") && decimalOf(source).digits === "";
}

/** Only `errors` has the path: its keys can be data, which is masked there. */
function tooLarge(pointer: string): AppError {
  return new AppError(
    "invalid_body",
    'The body has a number that is too large: the largest number of JavaScript is 1.8e308. Have the sender send it as a string, or set `bigints: "string"` in the trigger.',
    { errors: [{ pointer, code: "number_too_large", message: "The number is larger than 1.8e308" }] },
  );
}
