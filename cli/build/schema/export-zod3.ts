import { sensitiveMark } from "../../../sdk/sensitive.ts";
import { sensitiveKeyword } from "../../../server/domain/sensitive/sensitive-schema.ts";
import { ignoreOverride, zodToJsonSchema } from "zod-to-json-schema";
import { asArray, isRecord, type Zod3Def, type Zod3Node } from "./zod-node.ts";

type Exported = Record<string, unknown>;

/** The export of a Zod 3 schema. `zod-to-json-schema` writes draft 7, which is converted to 2020-12. */
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
    // The exporter's own references are paths that it guesses, and joins without escaping. These are names; modernizeZod3 finds their locations.
    override: (def, _refs, seen, isForced) => (seen && !isForced ? { $ref: nameOf(def) } : ignoreOverride),
    postProcess: (json, def) => {
      const zod3 = def as unknown as Zod3Def;
      return markSource(markSensitive(correct(json, zod3), zod3), nameOf(def));
    },
  });
  return exported;
}

/** The exporter joins a union of plain types, and a nullable one, into a list of types without their own keywords. */
function markSensitive(json: ReturnType<PostProcess>, def: Zod3Def): ReturnType<PostProcess> {
  const parts = [{ _def: def }, ...asArray(def["options"]), def["innerType"]];
  const isMarked = parts.some(
    (part) => isRecord(part) && isRecord(part["_def"]) && part["_def"][sensitiveMark] === true,
  );
  return json && isMarked ? Object.assign(json, { [sensitiveKeyword]: true }) : json;
}

/** As of Zod 4, an object that keeps further fields has `additionalProperties`; one that drops them has none. */
function correct(json: ReturnType<PostProcess>, def: Zod3Def): ReturnType<PostProcess> {
  if (def.typeName === "ZodString") return correctString(json, def);
  const isOpen = def.typeName === "ZodObject" && def["unknownKeys"] === "passthrough" && json !== undefined;
  return isOpen ? Object.assign(json, { additionalProperties: {} }) : json;
}

type PostProcess = NonNullable<Exclude<Parameters<typeof zodToJsonSchema>[1], string | undefined>["postProcess"]>;

/**
 * Omits checks that follow `.trim()` and similar changes, because they do not apply to the JSON as sent. Minimum
 * lengths after `.trim()` are kept.
 */
function correctString(json: ReturnType<PostProcess>, def: Zod3Def): ReturnType<PostProcess> {
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

/** On an exported schema: the names of its source schemas. Copies keep the symbol, JSON does not. */
const sourceNames = Symbol("source names");

function markSource<J extends object | undefined>(json: J, name: string): J {
  return json && Object.assign(json, { [sourceNames]: [...namesOf(json), name] });
}

function namesOf(json: object): string[] {
  const names: unknown = Reflect.get(json, sourceNames);
  return Array.isArray(names) ? names : [];
}

/** The locations of the named schemas, and the references to them. */
interface References {
  pointers: Map<string, string>;
  found: Exported[];
}

/**
 * Draft 7 to 2020-12: tuples become `prefixItems`. A `$ref` with a name from markSource becomes the location of that
 * schema.
 */
function modernizeZod3(exported: Exported): Exported {
  const references: References = { pointers: new Map(), found: [] };
  const modern = modernize(exported, "#", references);
  for (const reference of references.found) {
    const pointer = references.pointers.get(String(reference["$ref"]));
    if (pointer !== undefined) reference["$ref"] = pointer;
    // The exporter omitted the target. Zod itself still checks it.
    else delete reference["$ref"];
  }
  return isRecord(modern) ? modern : {};
}

function modernize(value: unknown, pointer: string, references: References): unknown {
  if (Array.isArray(value)) return value.map((item, index) => modernize(item, `${pointer}/${index}`, references));
  if (!isRecord(value)) return value;
  for (const name of namesOf(value)) if (!references.pointers.has(name)) references.pointers.set(name, pointer);
  const modern: Exported = {};
  for (const [key, child] of Object.entries(value)) {
    if (key === "$schema" || key === "additionalItems" || (key === "items" && Array.isArray(child))) continue;
    modern[key] = modernizeKeyword(key, child, { pointer: `${pointer}/${key}`, references });
  }
  if (typeof modern["$ref"] === "string") references.found.push(modern);
  if (Array.isArray(value["items"])) {
    modern["prefixItems"] = modernize(value["items"], `${pointer}/prefixItems`, references);
    modern["items"] =
      value["additionalItems"] === undefined
        ? false
        : modernize(value["additionalItems"], `${pointer}/items`, references);
  }
  return modern;
}

function modernizeKeyword(
  key: string,
  child: unknown,
  { pointer, references }: { pointer: string; references: References },
): unknown {
  // JSON values of the user, not schemas.
  if (["default", "const", "enum", "examples", "required"].includes(key)) return child;
  if (!["properties", "patternProperties"].includes(key) || !isRecord(child))
    return modernize(child, pointer, references);
  return Object.fromEntries(
    Object.entries(child).map(([name, schema]) => [name, modernize(schema, `${pointer}/${toStep(name)}`, references)]),
  );
}

/** One step of a reference. A lone surrogate cannot be encoded, so it is kept. */
function toStep(name: string): string {
  const escaped = name.replaceAll("~", "~0").replaceAll("/", "~1");
  return Array.from(escaped, (character) =>
    character.isWellFormed() ? encodeURIComponent(character) : character,
  ).join("");
}
