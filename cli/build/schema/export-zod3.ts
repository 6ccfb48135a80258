import { ignoreOverride, zodToJsonSchema } from "zod-to-json-schema";
import { markMadeOf, modernizeZod3 } from "./modernize-zod3.ts";
import { type Zod3Def, type Zod3Node, asArray, isRecord } from "./zod-node.ts";

type Exported = Record<string, unknown>;

export function exportZod3(schema: Zod3Node): Exported {
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...modernizeZod3(withoutChangedChecks(schema)) };
}

function withoutChangedChecks(schema: Zod3Node): Exported {
  const names = new Map<unknown, string>();
  const nameOf = (def: unknown): string => {
    const name = names.get(def) ?? `${names.size}`;
    names.set(def, name);
    return name;
  };
  const { $schema: _, ...exported } = zodToJsonSchema(schema as unknown as Parameters<typeof zodToJsonSchema>[0], {
    removeAdditionalStrategy: "strict",
    applyRegexFlags: true,
    // The exporter's own references are paths that it guesses, and joins without escaping. These are names; modernizeZod3 looks where they went.
    override: (def, _refs, seen, isForced) => (seen && !isForced ? { $ref: nameOf(def) } : ignoreOverride),
    postProcess: (json, def) => markMadeOf(correctString(json, def as unknown as Zod3Def), nameOf(def)),
  });
  return exported;
}

type PostProcess = NonNullable<Exclude<Parameters<typeof zodToJsonSchema>[1], string | undefined>["postProcess"]>;

/**
 * Omits checks that follow `.trim()` and similar changes, because they do not apply to the JSON as sent. Minimum
 * lengths after `.trim()` are kept.
 */
function correctString(json: ReturnType<PostProcess>, def: Zod3Def): ReturnType<PostProcess> {
  if (def.typeName !== "ZodString") return json;
  const checks = asArray(def["checks"]).filter(isRecord);
  const change = checks.findIndex(changes);
  if (change === -1 || change === checks.length - 1) return json;
  const after = checks.slice(change + 1);
  const firstOther = checks.slice(change).findIndex((check) => changes(check) && check["kind"] !== "trim");
  const lengths = firstOther === -1 ? after.filter((check) => check["kind"] === "min") : [];
  return zodToJsonSchema({ _def: { ...def, checks: [...checks.slice(0, change), ...lengths] } } as never, {
    applyRegexFlags: true,
  });
}

function changes(check: Record<string, unknown>): boolean {
  return ["trim", "toLowerCase", "toUpperCase"].includes(String(check["kind"]));
}
