import type { Json } from "../../contract/json.ts";
import { toPointer } from "../../shared/json/json-pointer.ts";
import { isObject } from "../../shared/schema/json-schema.ts";
import type { MaskedValue } from "./mask-json.ts";

/** Shorter values occur in other text by chance: they are masked where a schema marks them, and not elsewhere. */
const minChars = 6;
/** A whole string, number or key that equals a sensitive one. */
const minWholeChars = 4;

/** Replaces known sensitive values wherever they occur. */
export interface Scrub {
  text(text: string): string;
  json(value: Json): Json;
}

const nothing: Scrub = { text: (text) => text, json: (value) => value };

/**
 * How code writes a text into another one: in JSON, in URLs and forms, in JSON Pointers. Last as it is: that counts
 * most.
 */
const writings: readonly ((text: string) => string)[] = [
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => encodeURIComponent(text.toWellFormed()),
  (text) => encodeURI(text.toWellFormed()),
  (text) => new URLSearchParams([["", text]]).toString().slice(1),
  (text) => toPointer([text]).slice(1),
  (text) => text,
];

/** Whether all these writings of a text are the same. */
const isAlwaysPlain = (text: string) => /^[\w.-]*$/.test(text);

/** Finds the values in all these writings. */
export function createScrub(replaced: readonly MaskedValue[]): Scrub {
  const whole = new Map<string | number, string | number>();
  const forms = new Map<string, string>();
  for (const { original, shown } of replaced) {
    if (original === shown) continue;
    const text = String(original);
    if (text.length >= minWholeChars) whole.set(original, shown);
    if (text.length < minChars) continue;
    if (isAlwaysPlain(text)) forms.set(text, String(shown));
    else for (const write of writings) forms.set(write(text), write(String(shown)));
  }
  if (whole.size === 0) return nothing;
  const text = replaceForms(forms);
  const string = (value: string) => String(whole.get(value) ?? whole.get(toNumber(value)) ?? text(value));
  const number = (value: number) => toNumber(whole.get(value) ?? whole.get(String(value)) ?? value);
  const json = (value: Json): Json => {
    if (typeof value === "string") return string(value);
    if (typeof value === "number") return number(value);
    if (Array.isArray(value)) return value.map(json);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [string(name), json(each)]));
  };
  return { text, json };
}

/** A number that is written in the way of JavaScript; any other text as it is. */
function toNumber(value: string | number): string | number {
  return String(Number(value)) === value ? Number(value) : value;
}

/**
 * Limits of logs and errors cut values. This many characters from the start of one are enough to recognise it anywhere.
 * `minChars` are enough before an ellipsis, and at the end of a text of at least `minCutText`.
 */
const minCutChars = 64;
const minCutText = 200;

/** Linear in the text, however many values there are: they are found by their first characters and their lengths. */
function replaceForms(forms: ReadonlyMap<string, string>): (text: string) => string {
  const longForms = Map.groupBy(
    [...forms.keys()].filter((form) => form.length > minCutChars),
    (form) => form.slice(0, minCutChars),
  );
  const lengthsOf = new Map(
    [...Map.groupBy(forms.keys(), (form) => form.slice(0, minChars))].map(([start, same]) => [
      start,
      [...new Set(same.map(({ length }) => length))].toSorted((a, b) => b - a),
    ]),
  );

  // Few texts were cut: it is made for the first one.
  let sorted: string[] | null = null;

  /** `end`: where the text may have been cut. */
  const findAt = (text: string, at: number, end: number): { shown: string; length: number } | null => {
    const lengths = lengthsOf.get(text.slice(at, at + minChars));
    if (lengths === undefined) return null;
    for (const length of lengths) {
      const shown = forms.get(text.slice(at, at + length));
      if (shown !== undefined) return { shown, length };
    }
    const [longest] = (longForms.get(text.slice(at, at + minCutChars)) ?? [])
      .map((form) => ({ shown: forms.get(form) ?? "", length: commonLength(text, at, form) }))
      .toSorted((a, b) => b.length - a.length);
    if (longest) return longest;
    if (end - at < minChars || end - at >= minCutChars) return null;
    const beginning = text.slice(at, end);
    sorted ??= [...forms.keys()].toSorted();
    const form = firstFrom(sorted, beginning);
    return form?.startsWith(beginning) ? { shown: forms.get(form) ?? "", length: beginning.length } : null;
  };

  return (text) => {
    let result = "";
    let kept = 0;
    let end = endOf(text, 0);
    for (let at = 0; at <= text.length - minChars; at++) {
      if (at > end) end = endOf(text, at);
      const found = findAt(text, at, end);
      if (!found) continue;
      result += text.slice(kept, at) + found.shown;
      kept = at + found.length;
      at = kept - 1;
    }
    return kept === 0 ? text : result + text.slice(kept);
  };
}

/** The next place where the text may have been cut. */
function endOf(text: string, from: number): number {
  const at = text.indexOf("…", from);
  if (at >= 0) return at;
  return text.length < minCutText ? Number.POSITIVE_INFINITY : text.length;
}

/** The first of the sorted texts that is not before `text`. */
function firstFrom(sorted: readonly string[], text: string): string | undefined {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < text) low = middle + 1;
    else high = middle;
  }
  return sorted[low];
}

/** How far the text from there on is the same. */
function commonLength(text: string, at: number, form: string): number {
  let length = 0;
  while (length < form.length && text.charCodeAt(at + length) === form.charCodeAt(length)) length += 1;
  return length;
}
