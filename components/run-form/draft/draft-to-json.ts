import type { Json } from "../../../server/contract/json.ts";
import { type Draft, isEmptyNumber, isJsonNumber } from "./draft.ts";

/**
 * What the server reads in the text of a draft: as JSON.parse has it. What is no number is the text that was typed; an
 * empty one is left out, or `null` where nothing can be left out.
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
