import type { ModelStep } from "../../contract/agent/trace.ts";
import type { Json } from "../../contract/json.ts";
import { toPointer } from "../../domain/json/json-pointer.ts";
import type { AnySchema } from "../../ports/project.ts";
import { toJson } from "../json-value.ts";

const maxIssues = 20;

/**
 * Reads the output of a run: the text of the answer or, with a schema, its parsed value. `why` is for the model, which
 * can correct its answer.
 */
export function readOutput(
  schema: AnySchema | null,
  { content }: ModelStep,
): { isValid: true; value: Json } | { isValid: false; why: string } {
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  if (!schema) return { isValid: true, value: text };
  const json = parseJson(text);
  if (json === undefined) return { isValid: false, why: text.trim() === "" ? "It is empty." : "It is not JSON." };
  const parsed = schema.safeParse(json);
  if (parsed.success) return { isValid: true, value: toJson(parsed.data, "The answer") };
  return {
    isValid: false,
    why: parsed.error.issues
      .slice(0, maxIssues)
      .map(({ path, message }) => `  ${toPointer(path) || "(the whole answer)"}: ${message}`)
      .join("\n"),
  };
}

/** Models often wrap JSON in a code block. */
function parseJson(text: string): Json | undefined {
  const block = /^\s*```(?:json)?\s*\n([^]*?)\n\s*```\s*$/.exec(text);
  try {
    const json: Json = JSON.parse(block?.[1] ?? text);
    return json;
  } catch {
    return undefined;
  }
}
