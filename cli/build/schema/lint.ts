import { isDeepStrictEqual } from "node:util";
import {
  type DefaultValue,
  emptyReport,
  type Finding,
  type FindingKind,
  type NodeReport,
  type UserRegex,
} from "./finding.ts";
import { inspectZod4 } from "./inspect-zod4.ts";
import { asArray, isFunction, isRecord, isZod3, isZod4, type Zod3Def, type Zod3Node } from "./zod-node.ts";

const unrepresentable: Record<string, string> = {
  ZodBigInt: "z.bigint()",
  ZodDate: "z.date()",
  ZodFunction: "z.function()",
  ZodMap: "z.map()",
  ZodNaN: "z.nan()",
  ZodPromise: "z.promise()",
  ZodSet: "z.set()",
  ZodSymbol: "z.symbol()",
  ZodUndefined: "z.undefined()",
  ZodVoid: "z.void()",
};

const plain = new Set([
  "ZodNumber",
  "ZodBoolean",
  "ZodNull",
  "ZodEnum",
  "ZodNativeEnum",
  "ZodAny",
  "ZodUnknown",
  "ZodNever",
]);

/** The path of a finding in a schema, e.g. `["items", "[]", "amount"]`. */
type At = { path: readonly string[] };

export interface SchemaReport {
  findings: (Finding & At)[];
  regexes: (UserRegex & At)[];
}

/**
 * Walks a schema of Zod 4 or Zod 3 and reports every part that cannot be exported to JSON Schema, once, at the first
 * path to it. Recursive schemas are visited once.
 */
export async function lintSchema(root: unknown): Promise<SchemaReport> {
  const report: SchemaReport = { findings: [], regexes: [] };
  const defaults: (DefaultValue & At)[] = [];
  const seen = new Set<unknown>();

  const visit = (schema: unknown, path: readonly string[], parent: unknown): void => {
    const at = <T extends object>(found: T): T & At => ({ ...found, path });
    const mixed = findOtherVersion(schema, parent);
    if (mixed) return void report.findings.push(at(mixed));
    if (isRecord(schema) && seen.has(schema)) return;
    seen.add(schema);
    const lost = findLostVersion(schema);
    if (lost) return void report.findings.push({ ...lost.finding, path: [...path, ...lost.steps] });
    const node = inspect(schema, parent);
    report.findings.push(...node.findings.map(at));
    report.regexes.push(...node.regexes.map(at));
    defaults.push(...node.defaults.map(at));
    for (const child of node.children) visit(child.schema, child.step === null ? path : [...path, child.step], schema);
  };
  visit(root, [], null);
  report.findings.push(...(await findVaryingDefaults(defaults)));
  return report;
}

function inspect(schema: unknown, parent: unknown): NodeReport {
  try {
    if (isZod4(schema)) return inspectZod4(schema);
    if (isZod3(schema)) return inspectZod3(schema);
  } catch (error) {
    // A getter of the user, for example of z.lazy().
    const method = error instanceof Error ? error.message : String(error);
    return { ...emptyReport(), findings: [{ kind: "unreadable", method, origin: Object(schema) }] };
  }
  const method = schema === undefined || schema === null ? String(schema) : "not a Zod schema";
  return { ...emptyReport(), findings: [{ kind: "not-zod", method, origin: isRecord(parent) ? parent : null }] };
}

/** Zod parses what is inside a schema with its own version, and fails at the first value. */
function findOtherVersion(schema: unknown, parent: unknown): Finding | null {
  const [inner, outer] = [versionOf(schema), versionOf(parent)];
  if (inner === null || outer === null || inner === outer) return null;
  return {
    kind: "other-version",
    method: `a schema of Zod ${inner} inside one of Zod ${outer}`,
    origin: Object(schema),
  };
}

/**
 * `z.record(key, value)` and `z.tuple(items, rest)` take a schema of another version for their options: it has no
 * effect, and the record has the values of its keys.
 */
function findLostVersion(schema: unknown): { finding: Finding; steps: string[] } | null {
  const found = (inner: 3 | 4, steps: string[]) => ({
    finding: {
      kind: "other-version" as const,
      method: `a schema of Zod ${inner} inside one of Zod ${7 - inner}`,
      origin: Object(schema) as object,
    },
    steps,
  });
  if (isZod4(schema)) {
    const { def } = schema._zod;
    // Zod 4 copies its options, with what belongs to a schema of Zod 3.
    if (!isRecord(def["_def"]) || typeof def["_def"]["typeName"] !== "string") return null;
    return found(3, def.type === "record" ? ["*"] : def.type === "tuple" ? ["[…]"] : []);
  }
  if (isZod3(schema) && schema._def.typeName === "ZodRecord" && hasVainOptions(schema._def)) return found(4, ["*"]);
  return null;
}

/** Zod 3 makes an `errorMap` of any options. Without a message in them, it changes none. */
function hasVainOptions({ errorMap, description }: Zod3Def): boolean {
  if (!isFunction(errorMap) || description !== undefined) return false;
  const defaultError = "the message of Zod";
  return [
    [{ code: "invalid_type" }, { data: undefined, defaultError }],
    [{ code: "invalid_type" }, { data: 1, defaultError }],
    [{ code: "custom" }, { data: 1, defaultError }],
  ].every((args) => {
    try {
      const made = errorMap(...args);
      return isRecord(made) && made["message"] === defaultError;
    } catch {
      // Code of the user.
      return false;
    }
  });
}

function versionOf(schema: unknown): 3 | 4 | null {
  return isZod4(schema) ? 4 : isZod3(schema) ? 3 : null;
}

/** A constant default and a function look the same, so the value is read twice, at different times. */
async function findVaryingDefaults(defaults: readonly (DefaultValue & At)[]): Promise<(Finding & At)[]> {
  if (defaults.length === 0) return [];
  const first = defaults.map(readDefault);
  const start = Date.now();
  while (Date.now() - start < 2) await new Promise((resolve) => setImmediate(resolve));
  return defaults.flatMap((each, index) => {
    const value = readDefault(each);
    const isConstant = isDeepStrictEqual(value, first[index]) && isDeepStrictEqual(value, throughJson(value));
    if (isConstant && value !== undefined) return [];
    const method = `.${each.method}(${value === undefined ? "undefined" : ""})`;
    return [{ kind: "default" as const, method, origin: each.origin, path: each.path }];
  });
}

/** The error instead, if the function of a default throws: it is no JSON. */
function readDefault({ read }: DefaultValue): unknown {
  try {
    return read();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function throughJson(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    return undefined;
  }
}

/** Inspects one schema of Zod 3. */
function inspectZod3(schema: Zod3Node): NodeReport {
  const report = emptyReport();
  inspectType(schema, schema._def, report);
  return report;
}

function inspectType(schema: Zod3Node, def: Zod3Def, report: NodeReport): void {
  const find = (kind: FindingKind, method: string): void => void report.findings.push({ kind, method, origin: schema });
  const below = (step: string | null, child: unknown): void => void report.children.push({ step, schema: child });

  if (def["coerce"] === true) return find("code", `z.coerce.${def.typeName.slice(3).toLowerCase()}()`);
  const notJson = unrepresentable[def.typeName];
  if (notJson !== undefined) return find("not-json", notJson);
  if (plain.has(def.typeName)) return;

  switch (def.typeName) {
    case "ZodString":
      for (const check of asArray(def["checks"])) inspectStringCheck(check, report);
      return;
    case "ZodObject":
      for (const [key, child] of Object.entries(shapeOf(def))) below(key, child);
      return def["catchall"] ? below("*", def["catchall"]) : undefined;
    case "ZodArray":
      return below("[]", def["type"]);
    case "ZodTuple":
      asArray(def["items"]).forEach((item, index) => below(`[${index}]`, item));
      return def["rest"] ? below("[…]", def["rest"]) : undefined;
    case "ZodRecord":
      below("keys", def["keyType"]);
      return below("*", def["valueType"]);
    case "ZodUnion":
    case "ZodDiscriminatedUnion":
      return asArray(def["options"]).forEach((option, index) => below(`option ${index + 1}`, option));
    case "ZodIntersection":
      below(null, def["left"]);
      return below(null, def["right"]);
    case "ZodLazy":
      return below(null, isFunction(def["getter"]) ? def["getter"]() : null);
    case "ZodLiteral":
      if (def["value"] === undefined || typeof def["value"] === "bigint")
        find("not-json", `z.literal(${String(def["value"])})`);
      return;
    case "ZodEffects":
      find("code", nameEffect(def["effect"]));
      return below(null, def["schema"]);
    case "ZodCatch":
      find("code", ".catch()");
      return below(null, def["innerType"]);
    case "ZodPipeline":
      below(null, def["in"]);
      return below(null, def["out"]);
    case "ZodDefault":
      report.defaults.push({
        method: "default",
        read: () => (isFunction(def["defaultValue"]) ? def["defaultValue"]() : undefined),
        origin: schema,
      });
      return below(null, def["innerType"]);
    case "ZodOptional":
    case "ZodNullable":
    case "ZodReadonly":
      return below(null, def["innerType"]);
    case "ZodBranded":
      return below(null, def["type"]);
    default:
      return find("code", def.typeName);
  }
}

function shapeOf(def: Zod3Def): Record<string, unknown> {
  const shape = isFunction(def["shape"]) ? def["shape"]() : def["shape"];
  return isRecord(shape) ? shape : {};
}

/** Zod 3 stores superRefine, z.custom() and z.instanceof() as refinements. */
function nameEffect(effect: unknown): string {
  const type = isRecord(effect) ? effect["type"] : null;
  if (type === "transform") return ".transform()";
  return type === "preprocess" ? "z.preprocess()" : ".refine()";
}

function inspectStringCheck(check: unknown, report: NodeReport): void {
  if (!isRecord(check) || check["kind"] !== "regex" || !(check["regex"] instanceof RegExp)) return;
  report.regexes.push({ source: check["regex"].source, flags: check["regex"].flags, origin: check });
}
