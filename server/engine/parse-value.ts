import { toPointer } from "../domain/json-pointer.ts";
import type { AnySchema } from "../ports/project.ts";
import { FinalFailure } from "./run-errors.ts";

const maxIssues = 20;

/** Parses with a schema of the user's; throws a FinalFailure called `name` that says where, by JSON pointers. */
export function parseValue(p: { schema: AnySchema; value: unknown; name: string; what: string }): unknown {
  const parsed = p.schema.safeParse(p.value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.slice(0, maxIssues).map((issue) => ({ pointer: toPointer(issue.path), code: issue.code, message: issue.message }));
  const lines = errors.map(({ pointer, message }) => `  ${pointer === "" ? "(the whole value)" : pointer}: ${message}`);
  throw new FinalFailure(p.name, [`${p.what}:`, ...lines].join("\n"), { errors });
}
