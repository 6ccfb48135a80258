import { toPointer } from "../../../server/shared/json/json-pointer.ts";
import { type Draft, isJsonNumber } from "./draft.ts";

/** A part of a draft that JSON parsers read differently than it is written. */
export interface NotationIssue {
  pointer: string;
  message: string;
}

const maxNotationIssues = 5;

/** Finds numbers without an exact double, and repeated keys. Both are sent as written. `bigints`: that of the trigger. */
export function findNotationIssues(draft: Draft, bigints: "number" | "string" = "number"): NotationIssue[] {
  const found: NotationIssue[] = [];
  collect(draft, { pointer: "", bigints }, found);
  return found.slice(0, maxNotationIssues);
}

function collect(draft: Draft, at: { pointer: string; bigints: "number" | "string" }, found: NotationIssue[]): void {
  const { pointer, bigints } = at;
  if (found.length >= maxNotationIssues) return;
  if (draft.is === "number" && isJsonNumber(draft.text) && !isExact(draft.text)) {
    const read =
      bigints === "string" ? "a string" : Number.isFinite(Number(draft.text)) ? Number(draft.text) : "Infinity";
    found.push({
      pointer,
      message: `${shorten(draft.text)} is sent as written and parsed as ${read}`,
    });
  }
  if (draft.is === "list")
    draft.items.forEach((item, index) => collect(item.draft, { ...at, pointer: pointer + toPointer([index]) }, found));
  if (draft.is !== "object") return;
  const times = new Map<string, number>();
  for (const { key, draft: value } of draft.members) {
    const memberPointer = pointer + toPointer([key]);
    const count = (times.get(key) ?? 0) + 1;
    times.set(key, count);
    if (count === 2)
      found.push({ pointer: memberPointer, message: "appears more than once: all are sent, and the last one counts" });
    collect(value, { ...at, pointer: memberPointer }, found);
  }
}

/** Whether a number keeps its value as a double, in any notation. */
function isExact(text: string): boolean {
  const read = Number(text);
  return Number.isFinite(read) && canonicalNumber(text) === canonicalNumber(String(read));
}

/** A canonical notation of a number. */
function canonicalNumber(text: string): string {
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
