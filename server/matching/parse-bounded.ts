import type { AnyIssue, AnySchema } from "../ports/project.ts";
import { boundLists, isInternals, whileBounding } from "./bound-lists.ts";
import { maxReasons } from "./explain.ts";

type Parsed = ReturnType<AnySchema["safeParse"]>;

/**
 * Parses a body as `safeParse` does, but keeps so few of the issues of a list that a body with 500,000 bad items takes
 * no more memory than one with a hundred. The outcome is the same, and so are the first issues, as many as are ever
 * explained.
 */
export function parseBounded(schema: AnySchema, body: unknown): Parsed {
  const internals: unknown = Reflect.get(schema, "_zod");
  if (!isInternals(internals)) return parseZod3(schema, body) ?? schema.safeParse(body);
  boundLists(internals);
  return whileBounding(() => {
    const parsed = schema.safeParse(body);
    // Newer versions of Zod create the messages of their issues lazily.
    return parsed.success ? parsed : { success: false, error: { issues: parsed.error.issues } };
  });
}

/** Zod 3 collects all issues outside of unions in one array, which keeps only the first ones. `null`: this is not Zod 3. */
function parseZod3(schema: AnySchema, body: unknown): Parsed | null {
  const parse: unknown = Reflect.get(schema, "_parseSync");
  if (typeof parse !== "function") return null;
  const issues = new FirstIssues();
  const parent = {
    common: { issues, async: false, contextualErrorMap: undefined },
    path: [],
    schemaErrorMap: undefined,
    parent: null,
    data: body,
    parsedType: "unknown",
  };
  const { status, value }: { status: unknown; value: unknown } = parse.call(schema, { data: body, path: [], parent });
  return status === "valid" ? { success: true, data: value } : { success: false, error: { issues } };
}

class FirstIssues extends Array<AnyIssue> {
  override push(...issues: AnyIssue[]): number {
    return this.length < maxReasons ? super.push(...issues) : this.length;
  }
}
