import { toPointer } from "../../../server/domain/json/json-pointer.ts";
import { type Draft, isJsonNumber } from "./draft.ts";

/** A part of a draft that JSON parsers read differently than it is written. */
export interface Oddity {
  pointer: string;
  words: string;
}

const maxOddities = 5;

/** Finds numbers without an exact double, and repeated keys. Both are sent as written. */
export function findOddities(draft: Draft): Oddity[] {
  const found: Oddity[] = [];
  look(draft, "", found);
  return found.slice(0, maxOddities);
}

function look(draft: Draft, pointer: string, found: Oddity[]): void {
  if (found.length >= maxOddities) return;
  if (draft.is === "number" && isJsonNumber(draft.text) && !isExact(draft.text)) {
    const read = Number(draft.text);
    found.push({
      pointer,
      words: `${shorten(draft.text)} is sent as written and parsed as ${Number.isFinite(read) ? String(read) : "Infinity"}`,
    });
  }
  if (draft.is === "list") draft.items.forEach((item, index) => look(item.draft, pointer + toPointer([index]), found));
  if (draft.is !== "object") return;
  const seen = new Set<string>();
  for (const { key, draft: value } of draft.members) {
    const place = pointer + toPointer([key]);
    if (seen.has(key)) found.push({ pointer: place, words: "appears twice: both are sent, and the last one counts" });
    seen.add(key);
    look(value, place, found);
  }
}

/** Whether a number keeps its value as a double, in any notation. */
function isExact(text: string): boolean {
  const read = Number(text);
  return Number.isFinite(read) && spell(text) === spell(String(read));
}

/** A canonical notation of a number. */
function spell(text: string): string {
  const [, sign = "", whole = "", part = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${part}`.replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  if (kept === "") return "0";
  return `${sign}${kept}e${Number(exponent) - part.length + (digits.length - kept.length)}`;
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
