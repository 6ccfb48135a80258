import type { Json } from "../../../server/contract/json.ts";

/**
 * A JSON document as a form edits it. Unlike what JSON.parse makes, it loses nothing: numbers stay as they were
 * written, members keep their order and may repeat a name, and entries that are not right yet are kept as typed.
 */
export type Draft = { choice?: Choice } & (
  | { is: "string"; text: string }
  /** As typed: not always a number that JSON knows. */
  | { is: "number"; text: string }
  | { is: "boolean"; value: boolean }
  | { is: "null" }
  | { is: "list"; items: Item[] }
  | { is: "object"; members: Member[] }
  /** JSON typed by hand, right or wrong. */
  | { is: "raw"; text: string }
);

export interface Item {
  id: string;
  draft: Draft;
}

export interface Member extends Item {
  key: string;
}

/** Which alternative of a union a person chose, and what they had entered under the others. */
interface Choice {
  option: number;
  kept: Record<string, Draft>;
}

let lastId = 0;

/** Names a row for as long as it is shown. */
export function rowId(): string {
  lastId += 1;
  return `r${lastId}`;
}

export const draftOf = {
  text: (text: string): Draft => ({ is: "string", text }),
  number: (text: string): Draft => ({ is: "number", text }),
  boolean: (value: boolean): Draft => ({ is: "boolean", value }),
  nothing: (): Draft => ({ is: "null" }),
  list: (drafts: readonly Draft[]): Draft => ({ is: "list", items: drafts.map((draft) => ({ id: rowId(), draft })) }),
  object: (entries: readonly (readonly [string, Draft])[]): Draft => ({
    is: "object",
    members: entries.map(([key, draft]) => ({ id: rowId(), key, draft })),
  }),
};

/** The draft of a plain JSON value, such as a schema's default. */
export function draftOfJson(value: Json): Draft {
  if (value === null) return draftOf.nothing();
  if (typeof value === "string") return draftOf.text(value);
  if (typeof value === "number") return draftOf.number(Object.is(value, -0) ? "-0" : String(value));
  if (typeof value === "boolean") return draftOf.boolean(value);
  if (Array.isArray(value)) return draftOf.list(value.map(draftOfJson));
  return draftOf.object(Object.entries(value).map(([key, item]) => [key, draftOfJson(item)] as const));
}

/** What stands under a name; of several, the last, as JSON.parse has it. */
export function memberOf(draft: Draft | undefined, key: string): Member | undefined {
  return draft?.is === "object" ? draft.members.findLast((member) => member.key === key) : undefined;
}

/** With the member of this name set, or taken away for `undefined`. */
export function withMember(draft: Draft, key: string, value: Draft | undefined): Draft {
  const members = draft.is === "object" ? draft.members : [];
  const present = memberOf(draft, key);
  if (value === undefined) return { is: "object", members: members.filter((member) => member !== present) };
  if (present)
    return {
      is: "object",
      members: members.map((member) => (member === present ? { ...member, draft: value } : member)),
    };
  return { is: "object", members: [...members, { id: rowId(), key, draft: value }] };
}

/** The same content, without what only the form knows. */
export function withoutChoice(draft: Draft): Draft {
  const { choice: _, ...content } = draft;
  return content;
}

/** A number that nobody has entered: it is no value, so a document does without it. */
export function isEmptyNumber(draft: Draft): boolean {
  return draft.is === "number" && draft.text === "";
}

/** A number that JSON can write (RFC 8259). */
export function isJsonNumber(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
}
