import { type FindingKind, type NodeReport, emptyReport } from "./finding.ts";
import { type Zod3Def, type Zod3Node, asArray, isFunction, isRecord } from "./zod-node.ts";

/** Inspects one schema of Zod 3. */
export function inspectZod3(schema: Zod3Node): NodeReport {
  const report = emptyReport();
  inspectType(schema, schema._def, report);
  return report;
}

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

function inspectType(schema: Zod3Node, def: Zod3Def, report: NodeReport): void {
  const find = (kind: FindingKind, method: string): void => void report.findings.push({ kind, method, origin: schema });
  const below = (step: string | null, child: unknown): void =>
    void (child !== undefined && child !== null && report.children.push({ step, schema: child }));

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
      return below("*", def["catchall"]);
    case "ZodArray":
      return below("[]", def["type"]);
    case "ZodTuple":
      asArray(def["items"]).forEach((item, index) => below(`[${index}]`, item));
      return below("[…]", def["rest"]);
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
