import { z } from "zod";
import { type FindingKind, type NodeReport, emptyReport } from "./finding.ts";
import { type Zod4Def, type Zod4Node, asArray, isFunction, isRecord, isZod4 } from "./zod-node.ts";

/** Inspects one schema of Zod 4. */
export function inspectZod4(schema: Zod4Node): NodeReport {
  const report = emptyReport();
  const { def } = schema._zod;
  inspectType(schema, def, report);
  const checks = def["check"] === undefined ? [] : [schema];
  for (const check of [...checks, ...asArray(def.checks)]) inspectCheck(check, schema, report);
  return report;
}

const unrepresentable: Record<string, string> = {
  bigint: "z.bigint()",
  date: "z.date()",
  file: "z.file()",
  function: "z.function()",
  map: "z.map()",
  nan: "z.nan()",
  promise: "z.promise()",
  set: "z.set()",
  symbol: "z.symbol()",
  undefined: "z.undefined()",
  void: "z.void()",
};

function inspectType(schema: Zod4Node, def: Zod4Def, report: NodeReport): void {
  const find = (kind: FindingKind, method: string): void => void report.findings.push({ kind, method, origin: schema });
  const below = (step: string | null, child: unknown): void => void report.children.push({ step, schema: child });

  if (def["coerce"] === true) return find("code", `z.coerce.${def.type}()`);
  const notJson = unrepresentable[def.type];
  if (notJson !== undefined) return find("not-json", notJson);

  switch (def.type) {
    case "object":
      for (const [key, child] of Object.entries(isRecord(def["shape"]) ? def["shape"] : {})) below(key, child);
      return def["catchall"] ? below("*", def["catchall"]) : undefined;
    case "array":
      return below("[]", def["element"]);
    case "tuple":
      asArray(def["items"]).forEach((item, index) => below(`[${index}]`, item));
      return def["rest"] ? below("[…]", def["rest"]) : undefined;
    case "record":
      below("keys", def["keyType"]);
      return below("*", def["valueType"]);
    case "union":
      return asArray(def["options"]).forEach((option, index) => below(`option ${index + 1}`, option));
    case "intersection":
      below(null, def["left"]);
      return below(null, def["right"]);
    case "lazy":
      return below(null, isFunction(def["getter"]) ? def["getter"]() : null);
    case "literal":
      for (const value of asArray(def["values"])) {
        if (value === undefined || typeof value === "bigint")
          find("not-json", `z.literal(${typeof value === "bigint" ? `${value}n` : "undefined"})`);
      }
      return;
    case "template_literal":
      for (const part of asArray(def["parts"])) if (isRecord(part)) below(null, part);
      if (schema._zod.pattern) report.regexes.push({ source: schema._zod.pattern.source, flags: "", origin: schema });
      return;
    case "transform":
      return find("code", "z.transform()");
    case "success":
      return find("code", "z.success()");
    case "catch":
      find("code", ".catch()");
      return below(null, def["innerType"]);
    case "custom":
      return find(
        "code",
        schema._zod.traits.has("ZodInstanceOf") || "Class" in schema._zod.bag ? "z.instanceof()" : "z.custom()",
      );
    case "pipe":
      return inspectPipe(schema, def, report);
    case "default":
    case "prefault":
      report.defaults.push({ method: def.type, read: () => def["defaultValue"], origin: schema });
      return below(null, def["innerType"]);
    case "optional":
    case "nullable":
    case "nonoptional":
    case "readonly":
      return below(null, def["innerType"]);
    case "string":
    case "number":
    case "boolean":
    case "null":
    case "enum":
    case "any":
    case "unknown":
    case "never":
      return;
    default:
      return find("code", `z.${def.type}()`);
  }
}

/** A pipe can be a transform, a preprocess or a codec. Only a pipe of two plain schemas is structure. */
function inspectPipe(schema: Zod4Node, def: Zod4Def, report: NodeReport): void {
  const { in: from, out: to } = def;
  if (isFunction(def["transform"])) {
    const method = "truthy" in schema._zod.bag || namesStringbool(def["transform"]) ? "z.stringbool()" : "z.codec()";
    report.findings.push({ kind: "code", method, origin: schema });
    return;
  }
  if (isTransform(from)) report.findings.push({ kind: "code", method: "z.preprocess()", origin: schema });
  else report.children.push({ step: null, schema: from });
  if (isTransform(to))
    report.findings.push({
      kind: "code",
      method: namesStringbool(to._zod.def["transform"]) ? "z.stringbool()" : ".transform()",
      origin: schema,
    });
  else report.children.push({ step: null, schema: to });
}

/** Older versions (4.0, 4.1 and 3.25) compose it of other parts, and name it only in its issue. */
function namesStringbool(code: unknown): boolean {
  return isFunction(code) && /expected: ?["'`]stringbool["'`]/.test(code.toString());
}

function isTransform(schema: unknown): schema is Zod4Node {
  return isZod4(schema) && schema._zod.def.type === "transform";
}

/** Built-in overwrites are the same few functions in every Zod 4. All others are user code. */
const builtInOverwrite =
  /^\(?(\w+)\)? ?=> ?(?:\1\.(?:trim|toLowerCase|toUpperCase|normalize)\(\w*\)|(?:[\w$]+\.)*slugify\(\1\))$/;

/** Whether a check changes the value, so that the following checks do not apply to the JSON as sent. */
export function overwriteOf(check: unknown): "trim" | "other" | null {
  if (!isRecord(check) || !isRecord(check["_zod"]) || !isRecord(check["_zod"]["def"])) return null;
  const { def } = check["_zod"];
  if (def["check"] !== "overwrite") return null;
  return isFunction(def["tx"]) && def["tx"].toString().endsWith(".trim()") ? "trim" : "other";
}

function inspectCheck(check: unknown, schema: Zod4Node, report: NodeReport): void {
  const internals = isRecord(check) && isRecord(check["_zod"]) ? check["_zod"] : null;
  const def = internals && isRecord(internals["def"]) ? internals["def"] : null;
  if (!isRecord(check) || !def) return;
  const find = (method: string): void =>
    void report.findings.push({ kind: "code", method, origin: check, owner: schema });
  if (hasOwnCondition(internals, def)) find("a check with when");
  switch (def["check"]) {
    case "custom":
      // A custom schema is its own check, which inspectType reports.
      if (Object.is(check, schema)) return;
      if (!("traits" in (internals ?? {}))) return find(".check()");
      return find(isFunction(def["fn"]) ? ".refine()" : ".superRefine()");
    case "overwrite":
      return isFunction(def["tx"]) && builtInOverwrite.test(def["tx"].toString()) ? undefined : find(".overwrite()");
    case "property":
    case "properties":
      return find("z.property()");
    case "string_format":
      return inspectFormat(check, def, report);
  }
}

/** Some checks have a condition of Zod, when they run. Another one is code of the user. */
function hasOwnCondition(internals: Record<string, unknown> | null, def: Record<string, unknown>): boolean {
  if (!isFunction(def["when"]) || def["check"] === "custom") return false;
  const create = internals?.["constr"];
  if (!isFunction(create)) return true;
  const fresh: unknown = Reflect.construct(create, [{ ...def, when: undefined }]);
  const usual =
    isRecord(fresh) && isRecord(fresh["_zod"]) && isRecord(fresh["_zod"]["def"]) ? fresh["_zod"]["def"] : {};
  return String(usual["when"]) !== String(def["when"]);
}

function inspectFormat(check: object, def: Record<string, unknown>, report: NodeReport): void {
  const { pattern } = def;
  if (isFunction(def["fn"]) && !(pattern instanceof RegExp)) {
    report.findings.push({ kind: "code", method: "z.stringFormat()", origin: check });
  }
  const written = [isBuiltInPattern(check, def) ? null : pattern, def["hostname"], def["protocol"]];
  for (const regex of written) {
    if (regex instanceof RegExp && !zodsOwn.has(regex.source))
      report.regexes.push({ source: regex.source, flags: regex.flags, origin: check });
  }
}

const zodsOwn = new Set(Object.values(z.regexes).flatMap((regex) => (regex instanceof RegExp ? [regex.source] : [])));

/** Patterns of Zod are trusted. `.regex()` and custom patterns and formats are checked. */
function isBuiltInPattern(check: object, def: Record<string, unknown>): boolean {
  const { format, pattern } = def;
  if (!(pattern instanceof RegExp)) return true;
  if (typeof format === "string" && ["includes", "starts_with", "ends_with", "lowercase", "uppercase"].includes(format))
    return true;
  if (format === "regex" || isFunction(def["fn"]) || !isZod4(check)) return false;
  const fresh = new check._zod.constr({ ...def, pattern: undefined, checks: [] })._zod.def["pattern"];
  return fresh instanceof RegExp && fresh.source === pattern.source;
}
