import type { Json } from "../contract/json.ts";
import { explainIssues, toProblemErrors } from "../matching/explain/explain.ts";
import type { AnySchema } from "../ports/project.ts";
import { FinalFailure } from "./run-errors.ts";

/**
 * Returns a value as it is after a JSON round trip; `undefined` becomes `null`. Throws a FinalFailure that names `what`
 * if the value has no JSON form (a bigint, a cycle).
 */
export function toJson(value: unknown, what: string): Json {
  try {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined ? null : copyJson(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    throw new FinalFailure(
      "NotJson",
      `${what} cannot be stored as JSON: ${why}. Return plain objects, arrays, strings, numbers, booleans and null.`,
      { cause },
    );
  }
}

function copyJson(text: string): Json {
  const json: Json = JSON.parse(text);
  return json;
}

/** A deep copy of the stored value, so that code can change its result without side effects. */
export function cloneJson(value: Json): Json {
  return structuredClone(value);
}

/** Parses with a schema of the project. Throws a FinalFailure called `name` that lists the issues by JSON Pointer. */
export function parseValue(p: { schema: AnySchema; value: unknown; name: string; what: string }): unknown {
  const parsed = p.schema.safeParse(p.value);
  if (parsed.success) return parsed.data;
  const errors = toProblemErrors(explainIssues(parsed.error.issues, p.value as Json, p.schema));
  const lines = errors.map(({ pointer, message }) => `  ${pointer === "" ? "(the whole value)" : pointer}: ${message}`);
  throw new FinalFailure(p.name, [`${p.what}:`, ...lines].join("\n"), { errors });
}
