import { toPointer } from "../../../server/domain/json-pointer.ts";
import { type Draft, isJsonNumber } from "./draft.ts";

/** Something in a draft that whoever reads it as JSON will see in another way than it is written. */
export interface Oddity {
  pointer: string;
  words: string;
}

const most = 5;

/** Numbers that no double holds, and names that stand twice: kept as they are written, and told. */
export function findOddities(draft: Draft): Oddity[] {
  const found: Oddity[] = [];
  look(draft, "", found);
  return found.slice(0, most);
}

function look(draft: Draft, pointer: string, found: Oddity[]): void {
  if (found.length >= most) return;
  if (draft.is === "number" && isJsonNumber(draft.text) && !isExact(draft.text)) {
    const read = Number(draft.text);
    found.push({
      pointer,
      words: `${shorten(draft.text)} is sent as written, and read as ${Number.isFinite(read) ? String(read) : "infinite"}`,
    });
  }
  if (draft.is === "list") draft.items.forEach((item, index) => look(item.draft, pointer + toPointer([index]), found));
  if (draft.is !== "object") return;
  const seen = new Set<string>();
  for (const { key, draft: value } of draft.members) {
    const place = pointer + toPointer([key]);
    if (seen.has(key)) found.push({ pointer: place, words: "stands here twice: both are sent, the last one counts" });
    seen.add(key);
    look(value, place, found);
  }
}

/** Whether reading the number as a double and writing it again gives the same value, however it is spelled. */
function isExact(text: string): boolean {
  const read = Number(text);
  return Number.isFinite(read) && spell(text) === spell(String(read));
}

/** Digits and exponent without what can be written in several ways. */
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
