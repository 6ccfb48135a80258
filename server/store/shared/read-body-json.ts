import { type Json, jsonSchema } from "../../contract/json.ts";

/** Deeper bodies were refused at the door, are kept as bytes, and would overflow the stack of whoever serializes them. */
const maxDepth = 512;

/** The JSON of a stored body; `null` where the bytes are none, as those of refused deliveries may be. */
export function readBodyJson(body: Uint8Array): Json | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    return isDeeperThan(text, maxDepth) ? null : jsonSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (isInString) {
      if (char === "\\") index += 1;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === "{" || char === "[") {
      depth += 1;
      if (depth > limit) return true;
    } else if (char === "}" || char === "]") depth -= 1;
  }
  return false;
}
