import { zodToJsonSchema } from "zod-to-json-schema";
import { type Zod3Def, type Zod3Node, asArray, isRecord } from "./zod-node.ts";

type Exported = Record<string, unknown>;

export function exportZod3(schema: Zod3Node): Exported {
  const exported = withoutChangedChecks(schema);
  const modern = modernize(exported, exported);
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...(isRecord(modern) ? modern : {}) };
}

function withoutChangedChecks(schema: Zod3Node): Exported {
  const { $schema: _, ...exported } = zodToJsonSchema(schema as unknown as Parameters<typeof zodToJsonSchema>[0], {
    removeAdditionalStrategy: "strict",
    applyRegexFlags: true,
    postProcess: (json, def) => correctString(json, def as unknown as Zod3Def),
  });
  return exported;
}

type PostProcess = NonNullable<Exclude<Parameters<typeof zodToJsonSchema>[1], string | undefined>["postProcess"]>;

/** Leaves out the checks that follow `.trim()` and the like: they do not speak of the wire. Lengths stay after `.trim()`. */
function correctString(json: ReturnType<PostProcess>, def: Zod3Def): ReturnType<PostProcess> {
  if (def.typeName !== "ZodString") return json;
  const checks = asArray(def["checks"]).filter(isRecord);
  const change = checks.findIndex(changes);
  if (change === -1 || change === checks.length - 1) return json;
  const after = checks.slice(change + 1);
  const firstOther = checks.slice(change).findIndex((check) => changes(check) && check["kind"] !== "trim");
  const lengths = firstOther === -1 ? after.filter((check) => check["kind"] === "min") : [];
  return zodToJsonSchema({ _def: { ...def, checks: [...checks.slice(0, change), ...lengths] } } as never, { applyRegexFlags: true });
}

function changes(check: Record<string, unknown>): boolean {
  return ["trim", "toLowerCase", "toUpperCase"].includes(String(check["kind"]));
}

/** Draft 7 to 2020-12: tuples are `prefixItems`, and references that lead through one say so. */
function modernize(value: unknown, root: Exported): unknown {
  if (Array.isArray(value)) return value.map((item) => modernize(item, root));
  if (!isRecord(value)) return value;
  const modern: Exported = {};
  for (const [key, child] of Object.entries(value)) {
    if (key === "$schema" || key === "additionalItems" || (key === "items" && Array.isArray(child))) continue;
    modern[key] = modernizeKeyword(key, child, root);
  }
  if (Array.isArray(value["items"])) {
    modern["prefixItems"] = modernize(value["items"], root);
    modern["items"] = value["additionalItems"] === undefined ? false : modernize(value["additionalItems"], root);
  }
  return modern;
}

function modernizeKeyword(key: string, child: unknown, root: Exported): unknown {
  // JSON that the user wrote, not schemas.
  if (["default", "const", "enum", "examples", "required"].includes(key)) return child;
  if (key === "$ref" && typeof child === "string") return modernizeRef(child, root);
  if (["properties", "patternProperties"].includes(key) && isRecord(child)) {
    return Object.fromEntries(Object.entries(child).map(([name, schema]) => [name, modernize(schema, root)]));
  }
  return modernize(child, root);
}

/** The exporter joins names with `/` as they are: a name that holds one is found again by looking where the reference leads. */
function modernizeRef(ref: string, root: Exported): string {
  const steps = ref.split("/").slice(1);
  const modern: string[] = [];
  for (let at: unknown = root, start = 0, end = 1; end <= steps.length; end++) {
    const name = steps.slice(start, end).join("/");
    if ((!isRecord(at) && !Array.isArray(at)) || !Object.hasOwn(at, name)) continue;
    const next: unknown = Reflect.get(at, name);
    modern.push(modernKeyword(name, next));
    at = next;
    start = end;
  }
  return ["#", ...modern.map((name) => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1")))].join("/");
}

function modernKeyword(name: string, value: unknown): string {
  if (name === "additionalItems") return "items";
  return name === "items" && Array.isArray(value) ? "prefixItems" : name;
}
