import { createHmac } from "node:crypto";
import type { Json, JsonSchemaObject } from "../../contract/json.ts";
import { listOf } from "../../shared/schema/json-schema.ts";

/** Replaces sensitive values. Equal values are replaced by equal ones. `schemas`: what the replacement should match. */
export interface Faker {
  text(value: string, schemas?: readonly JsonSchemaObject[]): string;
  number(value: number, schemas?: readonly JsonSchemaObject[]): number;
}

/** Shown where no replacement of the same format is possible. */
export const maskedText = "[masked]";

/** Fakes are tried until one matches the patterns of its schema. */
const maxTries = 32;

/**
 * Replaces values by fakes of the same format: an email by an email, digits by digits, other text by letters. They
 * depend on the value and the key (HMAC-SHA-256), so without the key the value cannot be found by trying.
 */
export function createFaker(key: Uint8Array): Faker {
  const digest = (value: string | number) =>
    createHmac("sha256", key)
      .update(`${typeof value}\0${value}`)
      .digest();
  return {
    text(value, schemas = []) {
      if (value === "") return value;
      const seed = createSeed(digest(value));
      const fixed = pickFixed(value, schemas, seed);
      if (typeof fixed === "string") return fixed;
      const accepts = acceptsLike(value, schemas);
      const shapes = formats.filter(({ test }) => test.test(value)).map(({ make }) => make);
      for (const make of [...shapes, likeText, likeCode]) {
        for (let tries = 0; tries < maxTries; tries++) {
          const fake = make(value, seed);
          if (fake !== value && accepts(fake)) return fake;
        }
      }
      const [make = likeText] = shapes;
      return make(value, seed);
    },
    number(value, schemas = []) {
      const seed = createSeed(digest(value));
      const fixed = pickFixed(value, schemas, seed);
      return typeof fixed === "number" ? fixed : likeNumber(value, schemas, seed);
    },
  };
}

/** Replaces every value by the same text. Needs no key. */
export const hidingFaker: Faker = { text: () => maskedText, number: () => 0 };

/** Numbers that follow from a digest. */
interface Seed {
  /** A number from 0 up to, but not including, `below`. */
  next(below: number): number;
}

/** The generator sfc32: fast, because a value can have a million characters. Its start is secret, as the key is. */
function createSeed(digest: Buffer): Seed {
  let [a, b, c, counter] = [0, 4, 8, 12].map((at) => digest.readUInt32LE(at)) as [number, number, number, number];
  const next = () => {
    const found = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + found;
    return found >>> 0;
  };
  for (let rounds = 0; rounds < 12; rounds++) next();
  return { next: (below) => next() % below };
}

/** One of the fixed values of the schema, if the value is one of them. */
function pickFixed(value: Json, schemas: readonly JsonSchemaObject[], seed: Seed): Json | undefined {
  const options = schemas.flatMap((schema) => [
    ...listOf(schema["enum"]),
    ...(schema["const"] === undefined ? [] : [schema["const"]]),
  ]);
  const alike = options.filter((option) => typeof option === typeof value);
  return alike.includes(value) ? alike[seed.next(alike.length)] : undefined;
}

/** Whether a fake satisfies every pattern and length that the value satisfies. Of alternatives, one suffices. */
function acceptsLike(value: string, schemas: readonly JsonSchemaObject[]): (text: string) => boolean {
  const tests = schemas.flatMap(textTests).filter((test) => test(value));
  return (text) => tests.every((test) => test(text));
}

function textTests({ pattern, minLength, maxLength }: JsonSchemaObject): ((text: string) => boolean)[] {
  const expression = typeof pattern === "string" ? toRegExp(pattern) : null;
  return [
    ...(expression ? [(text: string) => expression.test(text)] : []),
    ...(typeof minLength === "number" ? [(text: string) => text.length >= minLength] : []),
    ...(typeof maxLength === "number" ? [(text: string) => text.length <= maxLength] : []),
  ];
}

function toRegExp(pattern: string): RegExp | null {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return null;
  }
}

type Make = (value: string, seed: Seed) => string;

const digits = "0123456789";
// Without the letters that the alphabets of some ids do not have.
const lower = "abcdefghjkmnpqrstvwxyz";
const hex = "0123456789abcdef";

const pick = (alphabet: string, seed: Seed) => alphabet[seed.next(alphabet.length)] ?? "";
const several = (count: number, alphabet: string, seed: Seed) =>
  Array.from({ length: count }, () => pick(alphabet, seed)).join("");
const twoDigits = (value: number) => String(value).padStart(2, "0");

const formats: readonly { test: RegExp; make: Make }[] = [
  { test: /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/, make: (_, seed) => `${several(12, lower, seed)}@example.com` },
  {
    test: /^https?:\/\/\S+$/i,
    make: (value, seed) => `${/^https/i.test(value) ? "https" : "http"}://example.com/${several(16, lower, seed)}`,
  },
  {
    test: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
    make: (value, seed) => keepHex(value, seed, [14, 19]),
  },
  {
    test: /^\d{4}-\d{2}-\d{2}(?=$|[T ])/,
    make: (value, seed) =>
      `${1950 + seed.next(70)}-${twoDigits(1 + seed.next(12))}-${twoDigits(1 + seed.next(28))}${fakeTime(value.slice(10), seed)}`,
  },
  { test: /^\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?$/, make: fakeTime },
  {
    test: /^\d{1,3}(?:\.\d{1,3}){3}$/,
    make: (_, seed) => `198.${18 + seed.next(2)}.${seed.next(256)}.${seed.next(256)}`,
  },
  {
    test: /^[0-9a-f]*:[0-9a-f:]+$/i,
    make: (_, seed) => `2001:db8::${several(4, "123456789abcdef", seed)}:${several(4, "123456789abcdef", seed)}`,
  },
  { test: /^(?=.{8})(?:\d+[a-f]|[a-f]+\d)[0-9a-f]*$/i, make: (value, seed) => keepHex(value, seed, []) },
];

/** Hexadecimal digits; those at `kept` say which version of an id it is. */
function keepHex(value: string, seed: Seed, kept: readonly number[]): string {
  const isUpper = value === value.toUpperCase();
  const fake = [...value].map((character, at) =>
    character === "-" || kept.includes(at) ? character : pick(hex, seed),
  );
  return isUpper ? fake.join("").toUpperCase() : fake.join("");
}

/** The time of an ISO 8601 time, with its offset. */
function fakeTime(value: string, seed: Seed): string {
  const [, separator = "", clock = "", rest = ""] = /^([T ]?)([\d:.]*)(.*)$/su.exec(value) ?? [];
  const limits = [24, 60, 60];
  let part = -1;
  const fake = clock.replaceAll(/\d+/g, (found) => {
    part += 1;
    const limit = limits[part];
    return limit === undefined ? several(found.length, digits, seed) : twoDigits(seed.next(limit));
  });
  return separator + fake + (/^(?:Z|[+-]\d{2}:?\d{2})?$/.test(rest) ? rest : likeText(rest, seed));
}

/** Digits by digits, letters by letters of the same case, any other character that is not ASCII by a letter. */
function likeText(value: string, seed: Seed): string {
  let isFirst = true;
  return value.replaceAll(/[\p{L}\p{N}]|[\u{80}-\u{10ffff}]/gu, (character) => {
    const wasFirst = isFirst;
    isFirst = false;
    if (/[1-9]/.test(character)) return wasFirst ? String(1 + seed.next(9)) : pick(digits, seed);
    if (character === "0") return wasFirst ? "0" : pick(digits, seed);
    const letter = pick(lower, seed);
    return /\p{Lu}/u.test(character) ? letter.toUpperCase() : letter;
  });
}

/** The same after a prefix such as `cus_`: some patterns require it. */
function likeCode(value: string, seed: Seed): string {
  const end = value.search(/[^\p{L}\p{N}]/u) + 1;
  return value.slice(0, end) + likeText(value.slice(end), seed);
}

/** As many digits, also after the point, within the limits of the schema. */
function likeNumber(value: number, schemas: readonly JsonSchemaObject[], seed: Seed): number {
  if (value === 0) return 0;
  const [whole = "", fraction = ""] = Math.abs(value).toString().split(".");
  const isPlain = /^\d+$/.test(whole) && /^\d*$/.test(fraction);
  const text = isPlain
    ? likeText(fraction === "" ? whole : `${whole}.${fraction}`, seed)
    : String(1 + seed.next(999_999));
  const fake = Math.sign(value) * Number(text);
  return within(Number.isSafeInteger(value) ? clampInteger(fake) : fake, value, schemas, seed);
}

const clampInteger = (value: number) =>
  Number.isSafeInteger(value) ? value : Math.sign(value) * (Number.MAX_SAFE_INTEGER - 1);

function within(fake: number, value: number, all: readonly JsonSchemaObject[], seed: Seed): number {
  const schemas = all.filter((schema) => fits(value, schema));
  const numbersOf = (key: string) =>
    schemas.flatMap((schema) => (typeof schema[key] === "number" ? [schema[key]] : []));
  const low = Math.max(...numbersOf("minimum"), ...numbersOf("exclusiveMinimum").map((limit) => limit + step(value)));
  const high = Math.min(...numbersOf("maximum"), ...numbersOf("exclusiveMaximum").map((limit) => limit - step(value)));
  const [multiple] = numbersOf("multipleOf");
  let found = fake;
  if (found < low || found > high) {
    const from = Number.isFinite(low) ? low : high - 999;
    const to = Number.isFinite(high) ? high : low + 999;
    const room = Math.max(0, Math.floor((to - from) / step(value)));
    found = from + (room === 0 ? 0 : seed.next(Math.min(room + 1, 2 ** 31))) * step(value);
  }
  if (multiple === undefined || multiple <= 0) return Number(found.toPrecision(15));
  const rounded = Math.round(found / multiple) * multiple;
  return rounded < low ? rounded + multiple : rounded > high ? rounded - multiple : rounded;
}

function fits(value: number, schema: JsonSchemaObject): boolean {
  const { minimum, maximum } = schema;
  return !(typeof minimum === "number" && value < minimum) && !(typeof maximum === "number" && value > maximum);
}

/** The place of the last digit. */
const step = (value: number) => (Number.isInteger(value) ? 1 : 0.01);
