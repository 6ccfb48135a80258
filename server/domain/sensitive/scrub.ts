import type { Json } from "../../contract/json.ts";
import { isObject } from "../schema/json-schema.ts";
import type { MaskedValue } from "./mask-json.ts";

/** Shorter values occur in other text by chance: they are masked where a schema marks them, and not elsewhere. */
const minChars = 6;
/** A whole string or number that equals a sensitive one. */
const minWholeChars = 4;

/** Replaces known sensitive values wherever they occur. */
export interface Scrub {
  text(text: string): string;
  json(value: Json): Json;
}

const nothing: Scrub = { text: (text) => text, json: (value) => value };

/** Finds the values as they are, in JSON and in URLs. */
export function createScrub(replaced: readonly MaskedValue[]): Scrub {
  const whole = new Map<string | number, string | number>();
  const forms = new Map<string, string>();
  for (const { original, shown } of replaced) {
    if (original === shown) continue;
    const text = String(original);
    if (text.length >= minWholeChars) whole.set(original, shown);
    if (text.length < minChars) continue;
    forms.set(text, String(shown));
    forms.set(JSON.stringify(text).slice(1, -1), JSON.stringify(String(shown)).slice(1, -1));
    if (text.isWellFormed()) forms.set(encodeURIComponent(text), encodeURIComponent(String(shown)));
  }
  if (whole.size === 0) return nothing;
  const text = replaceForms(forms);
  const json = (value: Json): Json => {
    if (typeof value === "string" || typeof value === "number") {
      const shown = whole.get(value);
      if (shown !== undefined) return shown;
      return typeof value === "string" ? text(value) : value;
    }
    if (Array.isArray(value)) return value.map(json);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [text(name), json(each)]));
  };
  return { text, json };
}

/** Linear in the text, however many values there are: they are found by their first characters and their lengths. */
function replaceForms(forms: ReadonlyMap<string, string>): (text: string) => string {
  const lengthsOf = new Map(
    [...Map.groupBy(forms.keys(), (form) => form.slice(0, minChars))].map(([start, same]) => [
      start,
      [...new Set(same.map(({ length }) => length))].toSorted((a, b) => b - a),
    ]),
  );
  return (text) => {
    let result = "";
    let kept = 0;
    for (let at = 0; at <= text.length - minChars; at++) {
      for (const length of lengthsOf.get(text.slice(at, at + minChars)) ?? []) {
        const shown = forms.get(text.slice(at, at + length));
        if (shown === undefined) continue;
        result += text.slice(kept, at) + shown;
        kept = at + length;
        at = kept - 1;
        break;
      }
    }
    return kept === 0 ? text : result + text.slice(kept);
  };
}
