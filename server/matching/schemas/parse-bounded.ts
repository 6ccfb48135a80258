import type { AnyIssue, AnySchema } from "../../ports/project.ts";
import { maxReasons } from "../explain/explain.ts";
import { countOmitted, omittedKey, type Omitted } from "../explain/omitted.ts";

/**
 * The only file that changes how Zod works. Zod collects every issue of a body: of a body of 1 MB with hundreds of
 * thousands of wrong items, that takes gigabytes and seconds (docs/decisions/0015-bounded-validation-issues.md). Zod
 * has no option for it, so this file replaces functions inside Zod 4's schemas and passes Zod 3 a list that ignores
 * later issues. parse-bounded.test.ts fails if an installed version of Zod works differently.
 */

type Parsed = ReturnType<AnySchema["safeParse"]>;

/**
 * Parses a body as `safeParse` does, but keeps only the first issues of each list. A body with 500,000 invalid items
 * takes no more memory than one with a hundred. The outcome is the same, and so are the first issues, as many as are
 * ever
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

// ---- Zod 4 ----

/** What a schema of Zod 4 is made of, as far as it is looked at here. */
interface Internals {
  readonly def: Record<string, unknown>;
  /** The schema inside a lazy schema; created on first use. */
  readonly innerType?: unknown;
  parse: Parse;
  /** `parse`, and the checks behind it. */
  run: Parse;
}

type Parse = (payload: Payload, context: unknown) => unknown;

interface Payload {
  value: unknown;
  issues: Issue[];
}

type Issue = Record<string, unknown>;

/** More than are ever explained of a body (`maxReasons`). */
const maxKept = 40;

/** The state of the current parse: parsing is synchronous, so there is one body at a time. */
const now = { isBounding: false, unions: 0, intersections: 0 };

/** Prepared lists are bounded within `parse`, and only there. */
function whileBounding<T>(parse: () => T): T {
  now.isBounding = true;
  try {
    return parse();
  } finally {
    Object.assign(now, { isBounding: false, unions: 0, intersections: 0 });
  }
}

const prepared = new WeakSet<object>();
/** Of one that is larger, or has no end because its getters make more and more, the rest is not bounded. */
const maxSchemas = 10_000;
const deepest = 200;

/**
 * Prepares every list inside a schema of Zod 4 (arrays, records, the rest of tuples), once. Zod itself iterates over a
 * list, checks its size and collects its issues. After `maxKept` issues its remaining items are not parsed: the list is
 * known to be invalid, and later issues would follow these.
 */
function boundLists(root: Internals): void {
  if (prepared.has(root)) return;
  const found = new Map([[root, 0]]);
  for (const [internals, depth] of found) {
    for (const part of depth < deepest ? partsOf(internals) : [])
      if (!found.has(part) && found.size < maxSchemas) found.set(part, depth + 1);
    if (!prepared.has(internals)) prepare(internals);
    prepared.add(internals);
  }
}

function prepare(internals: Internals): void {
  const { def } = internals;
  const { type } = def;
  if (type === "array") boundList(internals, ["element"]);
  if (type === "record") boundList(internals, ["keyType", "valueType"]);
  if (type === "tuple" && def["rest"]) boundList(internals, ["rest"]);
  if (type === "lazy") boundLazy(internals);
  // The explained alternative depends on the number of issues of each alternative: there they are counted. An
  // alternative that a field selects is the only one that is parsed.
  if (type === "union" && (def["discriminator"] === undefined || def["unionFallback"] === true))
    count(internals, "unions");
  // Of what both sides say, some cancels out.
  if (type === "intersection") count(internals, "intersections");
}

/** A lazy schema may return a new schema at each call, without end. */
function boundLazy(internals: Internals): void {
  wrapParse(internals, (parse) => (payload, context) => {
    const meant = internalsOf(internals.innerType);
    if (meant && now.isBounding) boundLists(meant);
    return parse(payload, context);
  });
}

/** The schemas that a schema is made of, but for lazy ones. */
function partsOf({ def }: Internals): Internals[] {
  const shape = isRecord(def["shape"]) ? Object.values(def["shape"]) : [];
  const lists = [def["items"], def["options"]].flatMap((list) => (Array.isArray(list) ? list : []));
  const single = ["element", "rest", "keyType", "valueType", "innerType", "left", "right", "in", "out", "catchall"].map(
    (name) => def[name],
  );
  return [...shape, ...lists, ...single].flatMap((part) => internalsOf(part) ?? []);
}

interface Budget {
  kept: number;
  /** `null`: the number is not needed. */
  omitted: Omitted | null;
}

function boundList(internals: Internals, parts: readonly string[]): void {
  // The list that this schema is parsing; it may be nested in itself.
  let budget: Budget | null = null;
  for (const name of parts) {
    const part = internals.def[name];
    const own = internalsOf(part);
    if (!own || !isRecord(part)) continue;
    const bounded = withRun(part, own, (payload, context) =>
      budget ? parseItem(budget, own, payload, context) : own.run(payload, context),
    );
    // Other readers of the schema, such as Zod's exporter, get the original part.
    Reflect.defineProperty(internals.def, name, {
      get: () => (now.isBounding ? bounded : part),
      enumerable: true,
      configurable: true,
    });
  }
  wrapParse(internals, (parse) => (payload, context) => {
    const outer = budget;
    budget =
      now.isBounding && now.intersections === 0
        ? { kept: 0, omitted: now.unions > 0 ? { issues: 0, fixedValues: 0 } : null }
        : null;
    try {
      const result = parse(payload, context);
      if (budget?.omitted && budget.omitted.issues > 0) noteOmitted(payload, budget.omitted);
      return result;
    } finally {
      budget = outer;
    }
  });
}

/** Parses one item of a list; nothing, if the list has enough issues. */
function parseItem(budget: Budget, item: Internals, payload: Payload, context: unknown): unknown {
  if (budget.kept >= maxKept && budget.omitted === null) return payload;
  const result = item.run(payload, context);
  if (!isPayload(result) || result.issues.length === 0) return result;
  if (budget.kept < maxKept) {
    budget.kept += result.issues.length;
    return result;
  }
  for (const issue of result.issues) if (budget.omitted) countOmitted(budget.omitted, issue);
  return { ...result, issues: [] };
}

/** The last kept issue represents the omitted ones. */
function noteOmitted({ issues }: Payload, omitted: Omitted): void {
  const last = issues.at(-1);
  if (last) last[omittedKey] = omitted;
}

function count(internals: Internals, what: "unions" | "intersections"): void {
  wrapParse(internals, (parse) => (payload, context) => {
    now[what] += 1;
    try {
      return parse(payload, context);
    } finally {
      now[what] -= 1;
    }
  });
}

function wrapParse(internals: Internals, wrap: (parse: Parse) => Parse): void {
  const { parse } = internals;
  internals.parse = wrap(parse);
  // Without checks they are one.
  if (internals.run === parse) internals.run = internals.parse;
}

/** The same schema to all who look at it, but for how it is run from here. */
function withRun(schema: object, internals: Internals, run: Parse): unknown {
  return Object.create(schema, { _zod: { value: Object.create(internals, { run: { value: run, writable: true } }) } });
}

function internalsOf(schema: unknown): Internals | null {
  const internals: unknown = isRecord(schema) ? schema["_zod"] : null;
  return isInternals(internals) ? internals : null;
}

function isInternals(value: unknown): value is Internals {
  return (
    isRecord(value) &&
    isRecord(value["def"]) &&
    typeof value["run"] === "function" &&
    typeof value["parse"] === "function"
  );
}

function isPayload(value: unknown): value is Payload {
  return isRecord(value) && Array.isArray(value["issues"]);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
