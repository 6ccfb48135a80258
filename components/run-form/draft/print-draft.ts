import { splitHidden } from "../../json/split-hidden.ts";
import { type Draft, isEmptyNumber, isJsonNumber } from "./draft.ts";

/** The JSON text of a draft, indented by two spaces. Invalid JSON is included as typed. */
export function printDraft(draft: Draft): string {
  return print(draft, "\n");
}

function print(draft: Draft, newline: string): string {
  switch (draft.is) {
    case "string":
      return textInJson(draft.text);
    case "number":
      return isJsonNumber(draft.text) ? draft.text : isEmptyNumber(draft) ? "null" : JSON.stringify(draft.text);
    case "boolean":
      return String(draft.value);
    case "null":
      return "null";
    case "raw":
      return draft.text;
    case "list":
      return enclose(
        "[",
        draft.items.map((item) => print(item.draft, `${newline}  `)),
        "]",
        newline,
      );
    case "object":
      return enclose(
        "{",
        draft.members
          .filter((member) => !isEmptyNumber(member.draft))
          .map(({ key, draft }) => `${textInJson(key)}: ${print(draft, `${newline}  `)}`),
        "}",
        newline,
      );
  }
}

/** Escapes invisible characters and characters that change the text direction. */
function textInJson(text: string): string {
  return splitHidden(JSON.stringify(text))
    .map((part) => ("text" in part ? part.text : escapeOf(String.fromCodePoint(part.hidden))))
    .join("");
}

function escapeOf(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

function enclose(open: string, parts: readonly string[], close: string, newline: string): string {
  return parts.length === 0 ? open + close : `${open}${newline}  ${parts.join(`,${newline}  `)}${newline}${close}`;
}
