import { isSchema } from "../../../server/project/definitions.ts";
import { exportSchema } from "../schema/export.ts";
import { lintSchema } from "../schema/lint.ts";
import { isZod3, isZod4 } from "../schema/zod-node.ts";
import type { EvaluatedSchema } from "./protocol.ts";
import { originStack } from "./trace-origins.ts";

/** All facts about one schema that the build needs. */
export async function evaluateSchema(schema: unknown): Promise<EvaluatedSchema> {
  if (!isSchema(schema) || !(isZod4(schema) || isZod3(schema))) {
    return {
      json: null,
      problems: [{ kind: "not-zod", path: [], method: describe(schema), stack: null }],
      regexes: [],
    };
  }
  try {
    const { findings, regexes } = await lintSchema(schema);
    return {
      json: findings.length === 0 ? exportSchema(schema) : null,
      problems: findings.map(({ kind, path, method, origin, bearer }) => ({
        kind,
        path: [...path],
        method,
        stack: originStack(origin) ?? originStack(bearer ?? null),
      })),
      regexes: regexes.map(({ path, source, flags, origin }) => ({
        path: [...path],
        source,
        flags,
        stack: originStack(origin),
      })),
    };
  } catch (error) {
    // User code in z.lazy() or a default, or a schema that Zod's exporter rejects.
    const reason = error instanceof Error ? error.message : String(error);
    return { json: null, problems: [{ kind: "export-failed", path: [], method: reason, stack: null }], regexes: [] };
  }
}

function describe(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof value === "function") return "a function";
  return typeof value === "object" ? "an object that is not a Zod schema" : `a ${typeof value}`;
}
