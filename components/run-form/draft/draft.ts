import type { Json } from "../../../server/contract/json.ts";

/**
 * A JSON document as a form edits it. Unlike JSON.parse, it loses nothing: numbers stay as written, members keep their
 * order and may repeat a key, and invalid entries stay as typed.
 */
export type Draft = { choice?: Choice } & (
  | { is: "string"; text: string }
  /** As typed: not always a valid JSON number. */
  | { is: "number"; text: string }
  | { is: "boolean"; value: boolean }
  | { is: "null" }
  | { is: "list"; items: Item[] }
  | { is: "object"; members: Member[] }
  /** JSON as typed, valid or not. */
  | { is: "raw"; text: string }
);

export interface Item {
  id: string;
  draft: Draft;
}

export interface Member extends Item {
  key: string;
}

/** The chosen alternative of a union, and the values of the other alternatives. */
interface Choice {
  option: number;
  kept: Record<string, Draft>;
}

let lastId = 0;

/** A unique id for a row. */
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

/** The member with a key; the last one of a repeated key, like JSON.parse. */
export function memberOf(draft: Draft | undefined, key: string): Member | undefined {
  return draft?.is === "object" ? draft.members.findLast((member) => member.key === key) : undefined;
}

/** Sets the member with this key, or removes it for `undefined`. */
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

/** The same content, without the state of the form. */
export function withoutChoice(draft: Draft): Draft {
  const { choice: _, ...content } = draft;
  return content;
}

/** The draft with the chosen alternative of an earlier one. */
export function withChoiceOf(before: Draft | undefined, draft: Draft): Draft {
  return before?.choice ? { ...draft, choice: before.choice } : draft;
}

/** A number field without a value. It is left out of the document. */
export function isEmptyNumber(draft: Draft): boolean {
  return draft.is === "number" && draft.text === "";
}

/** Whether a text is a valid JSON number (RFC 8259). */
export function isJsonNumber(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
}

/**
 * The value that the server parses from the text of a draft. An incomplete number is its text. An empty number is left
 * out, or `null` in an array.
 */
export function draftToJson(draft: Draft): Json {
  switch (draft.is) {
    case "string":
      return draft.text;
    case "number":
      return isJsonNumber(draft.text) ? Number(draft.text) : isEmptyNumber(draft) ? null : draft.text;
    case "boolean":
      return draft.value;
    case "null":
      return null;
    case "list":
      return draft.items.map((item) => draftToJson(item.draft));
    case "object":
      return Object.fromEntries(
        draft.members
          .filter((member) => !isEmptyNumber(member.draft))
          .map((member) => [member.key, draftToJson(member.draft)]),
      );
    case "raw":
      return parseOr(draft.text);
  }
}

function parseOr(text: string): Json {
  try {
    const json: Json = JSON.parse(text);
    return json;
  } catch {
    return text;
  }
}
