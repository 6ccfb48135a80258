import type { Json } from "../contract/json.ts";
import { explainIssues, toProblemErrors } from "../matching/explain.ts";
import type { AnySchema } from "../ports/project.ts";
import { FinalFailure } from "./run-errors.ts";

/** Parses with a schema of the project. Throws a FinalFailure called `name` that lists the issues by JSON Pointer. */
export function parseValue(p: { schema: AnySchema; value: unknown; name: string; what: string }): unknown {
  const parsed = p.schema.safeParse(p.value);
  if (parsed.success) return parsed.data;
  const errors = toProblemErrors(explainIssues(parsed.error.issues, p.value as Json, p.schema));
  const lines = errors.map(({ pointer, message }) => `  ${pointer === "" ? "(the whole value)" : pointer}: ${message}`);
  throw new FinalFailure(p.name, [`${p.what}:`, ...lines].join("\n"), { errors });
}
