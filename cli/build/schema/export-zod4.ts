import { z } from "zod";
import { sensitiveMark } from "../../../sdk/sensitive.ts";
import { sensitiveKeyword } from "../../../server/domain/sensitive/sensitive-schema.ts";
import { overwriteOf } from "./inspect-zod4.ts";
import { type Zod4Node, asArray, isFunction, isRecord, isZod4 } from "./zod-node.ts";

type Exported = Record<string, unknown>;

export function exportZod4(schema: Zod4Node): Exported {
  // Every copy of Zod 4 has the same internals, which is what Zod's exporter reads.
  return z.toJSONSchema(schema as unknown as z.core.$ZodType, {
    io: "input",
    target: "draft-2020-12",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => correct(zodSchema, jsonSchema),
  });
}

/** Corrects the export of one node in place, so that it describes the JSON that Zod accepts. */
function correct(schema: unknown, exported: Exported): void {
  if (!isZod4(schema)) return;
  const { def } = schema._zod;
  const isSensitive = def[sensitiveMark] === true || metaOf(schema)["sensitive"] === true;
  // Metadata of the current copy of Zod is already exported.
  if (isSensitive || exported["sensitive"] === true) exported[sensitiveKeyword] = true;
  delete exported["sensitive"];
  if (def.type === "string") correctString(schema, exported);
  if (def.type === "readonly") delete exported["readOnly"];
  if (def.type === "pipe") correctPipe(def["out"], exported);
  if (def.type === "tuple" && isZod4(def["rest"])) correctOpenTuple(asArray(def["items"]), exported);
}

/** The metadata in the registry of the project's copy of Zod. */
function metaOf(schema: object): Exported {
  const meta: unknown = Reflect.get(schema, "meta");
  const found: unknown = isFunction(meta) ? meta.call(schema) : null;
  return isRecord(found) ? found : {};
}

/** With a rest, Zod accepts a tuple without its last items if each of these accepts undefined. */
function correctOpenTuple(items: readonly unknown[], exported: Exported): void {
  const needed = items.findLastIndex((item) => !z.core.safeParse(item as z.core.$ZodType, undefined).success) + 1;
  if (needed === 0) delete exported["minItems"];
  else if (Number(exported["minItems"] ?? 0) > needed) exported["minItems"] = needed;
}

/** Zod exports only the first schema of a pipe; both apply. */
function correctPipe(out: unknown, exported: Exported): void {
  if (!isZod4(out)) return;
  const { $schema: _, ...second } = exportZod4(out);
  if ("$defs" in second) return;
  const first = { ...exported };
  for (const key of Object.keys(exported)) delete exported[key];
  exported["allOf"] = [first, second];
}

const fromChecks = ["minLength", "maxLength", "pattern", "allOf", "format", "contentEncoding"];

/** Omits checks that follow a change of the value, and patterns whose flags JSON Schema does not have. */
function correctString(schema: Zod4Node, exported: Exported): void {
  const checks = asArray(schema._zod.def.checks);
  const change = checks.findIndex((check) => overwriteOf(check) !== null);
  const kept = (change === -1 ? checks : checks.slice(0, change)).filter((check) => !hasFlags(check));
  if (kept.length === checks.length && !hasFlags(schema)) return;
  const before = exportZod4(new schema._zod.constr({ ...schema._zod.def, checks: kept }));
  for (const key of fromChecks) delete exported[key];
  for (const key of fromChecks) if (before[key] !== undefined) exported[key] = before[key];
  if (hasFlags(schema)) for (const key of ["pattern", "allOf"]) delete exported[key];
  const shortest = minAfterTrim(checks.slice(change));
  if (change !== -1 && shortest > 0) exported["minLength"] = Math.max(shortest, Number(exported["minLength"] ?? 0));
}

/** Trimming only shortens, so a minimum length afterwards also applies before. */
function minAfterTrim(checks: readonly unknown[]): number {
  let shortest = 0;
  for (const check of checks) {
    const change = overwriteOf(check);
    if (change === "other") break;
    const def = defOf(check);
    if (def["check"] === "min_length") shortest = Math.max(shortest, Number(def["minimum"]));
    if (def["check"] === "length_equals") shortest = Math.max(shortest, Number(def["length"]));
  }
  return shortest;
}

function hasFlags(check: unknown): boolean {
  const { pattern } = defOf(check);
  return pattern instanceof RegExp && /[imsvy]/.test(pattern.flags);
}

function defOf(check: unknown): Record<string, unknown> {
  const internals = isRecord(check) ? check["_zod"] : null;
  return isRecord(internals) && isRecord(internals["def"]) ? internals["def"] : {};
}
