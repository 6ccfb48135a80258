import type { Json } from "../../../server/contract/json.ts";
import { type Draft, isEmptyNumber, isJsonNumber } from "./draft.ts";

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
