import type { StackMapper } from "../../../server/project/map-stack.ts";
import { type Diagnostic, trail } from "../diagnostics/diagnostic.ts";
import type { EvaluatedEntry, EvaluatedSchema, SchemaProblem } from "../evaluation/protocol.ts";
import type { SourceLocation, ProjectFiles } from "../project-files.ts";
import { checkRegexes, keyOf } from "../schema/check-regex.ts";

type SchemaField = "request" | "filter" | "headers" | "query" | "input" | "output";

const checks = (field: SchemaField): string =>
  field === "filter" || field === "headers" || field === "query"
    ? "Use literals, enums and built-in checks (.min(), .regex(), .startsWith(), ...). Decide the rest at the top of run()."
    : `Use built-in checks (.min(), .email(), .regex(), z.enum(), ...), and check the rest ${field === "output" ? "before you return" : "at the top of run()"}.`;

const fixes: Record<string, (field: SchemaField) => string> = {
  ".refine()": checks,
  ".superRefine()": checks,
  ".check()": checks,
  "z.custom()": checks,
  "z.property()": checks,
  "a check with when": checks,
  "z.stringFormat()": checks,
  "z.instanceof()": () => "Describe the JSON of the value, e.g. z.object({ ... }).",
  ".overwrite()": (field) =>
    `Use only .trim(), .toLowerCase(), .toUpperCase(), .normalize() and .slugify() to change strings. Convert ${inCode(field)}.`,
  ".catch()": () =>
    ".catch() accepts any value. Describe the possible values with z.union([...]), .optional() or .default().",
  "z.stringbool()": (field) =>
    `Describe the strings as sent, e.g. z.enum(["yes", "no"]), and convert ${inCode(field)}.`,
  "z.date()": (field) => `Use z.iso.datetime() (zod/v3: z.string().datetime()), and create the Date ${inCode(field)}.`,
  "z.bigint()": (field) => `Use z.string().regex(/^\\d+$/) or z.int(), and create the bigint ${inCode(field)}.`,
  "z.map()": (field) => `Use z.record(), and create the Map ${inCode(field)}.`,
  "z.set()": (field) => `Use z.array(), and create the Set ${inCode(field)}.`,
  "z.undefined()": () => "Use .optional() for a value that may be missing, or z.null() for null.",
  "z.void()": () => "Omit output if run() returns nothing. Elsewhere use z.null() or .optional().",
  "z.nan()": () => "Use z.number() or z.null(): JSON has no NaN.",
  "z.file()": () => "Use z.url() for a remote file, or z.base64() for one in the body.",
  "z.promise()": () => "Describe the value itself: bodies are read completely before they are parsed.",
  "z.function()": () => "Send what the function needs, as JSON.",
  "z.symbol()": () => "Use z.literal() or z.enum() with strings.",
};

const whyUndefined =
  "The value is not defined yet while this file loads. If it is imported, the two files probably import each other.";
const fixUndefined = "Move the schema into a third file that both import, or refer to it in a getter or z.lazy().";

interface FieldSchema {
  file: string;
  field: SchemaField;
  schema: EvaluatedSchema;
}

interface Context {
  files: ProjectFiles;
  mapper: StackMapper;
  /** Regular expressions that the build does not check: `uncheckedRegexes` of the settings. */
  uncheckedRegexes: readonly string[];
}

/** Diagnostics of all schemas: parts that cannot be exported, and unsafe regular expressions. */
export async function schemaDiagnostics(entries: readonly EvaluatedEntry[], context: Context): Promise<Diagnostic[]> {
  const schemas = entries.flatMap(schemasOf);
  const problems = schemas.flatMap((each) =>
    each.schema.problems.map((problem) => problemDiagnostic(each, problem, context)),
  );
  return dropRepeats([...problems, ...(await regexDiagnostics(schemas, context))]);
}

export function schemasOf(entry: EvaluatedEntry): FieldSchema[] {
  const { file } = entry;
  const fields: [SchemaField, EvaluatedSchema | null][] =
    entry.outcome === "trigger"
      ? [
          ["request", entry.trigger.request],
          ["filter", entry.trigger.filter],
          ["headers", entry.trigger.headers],
          ["query", entry.trigger.query],
        ]
      : entry.outcome === "workflow"
        ? [
            ["input", entry.workflow.input],
            ["output", entry.workflow.output],
          ]
        : entry.outcome === "agent"
          ? [["output", entry.agent.output]]
          : [];
  return fields.flatMap(([field, schema]) => (schema ? [{ file, field, schema }] : []));
}

function problemDiagnostic({ file, field }: FieldSchema, problem: SchemaProblem, context: Context): Diagnostic {
  const at = locate(file, field, problem.stack, context);
  const where = trail(file, field, ...problem.path);
  if (problem.kind === "not-zod") {
    const isMissing = problem.path.length > 0 && problem.method === "undefined";
    return context.files.diagnose({
      code: "not_a_schema",
      title: `${where} is ${problem.method}`,
      at,
      ...(isMissing && { text: whyUndefined, fix: fixUndefined }),
    });
  }
  if (problem.kind === "other-version")
    return context.files.diagnose({ code: "schema_mixes_versions", title: `${where} is ${problem.method}`, at });
  if (problem.kind === "export-failed" || problem.kind === "unreadable") {
    return context.files.diagnose({
      code: "schema_export_failed",
      title: `${where} cannot be exported: ${problem.method}`,
      at,
    });
  }
  if (problem.kind === "default")
    return context.files.diagnose({
      code: "schema_varying_default",
      ...(problem.method.endsWith("(undefined)")
        ? { title: `${where} uses ${problem.method}`, fix: "Use .optional() for a value that may be missing." }
        : { title: `${where} uses ${problem.method} with a value that is not a JSON constant` }),
      at,
    });
  const method = "line" in at ? asWritten(problem.method, context.files.wordAt(at)) : problem.method;
  return context.files.diagnose({
    code: problem.kind === "code" ? "schema_uses_code" : "schema_not_json",
    title: `${where} uses ${method}`,
    at,
    text: textFor(problem.kind, field),
    fix: fixFor(method, field),
  });
}

/** Several methods create the same kind of check. The source file has the one that was written. */
function asWritten(method: string, word: string): string {
  const alike = [
    ".refine()",
    ".superRefine()",
    ".check()",
    "z.custom()",
    "z.instanceof()",
    "z.codec()",
    "z.stringbool()",
    ".transform()",
    "z.transform()",
    "z.preprocess()",
    ".overwrite()",
  ];
  const written = alike.filter((each) => each === `.${word}()` || each === `z.${word}()`);
  return alike.includes(method) && !written.includes(method) ? (written[0] ?? method) : method;
}

async function regexDiagnostics(schemas: readonly FieldSchema[], context: Context): Promise<Diagnostic[]> {
  const regexes = schemas
    .flatMap(({ file, field, schema }) => schema.regexes.map((regex) => ({ file, field, ...regex })))
    .filter((regex) => !context.uncheckedRegexes.includes(keyOf(regex)));
  const verdicts = await checkRegexes(regexes);
  return regexes.flatMap((regex, index): Diagnostic[] => {
    const verdict = verdicts[index];
    if (!verdict || verdict.status === "safe") return [];
    const at = locate(regex.file, regex.field, regex.stack, context);
    const where = trail(regex.file, regex.field, ...regex.path);
    const written = shorten(keyOf(regex));
    if (verdict.status === "unknown") {
      const fix = `Use fewer nested or optional repetitions. If you know that it is safe, add it to signalbox.config.ts: uncheckedRegexes: [${JSON.stringify(keyOf(regex))}].`;
      return [
        context.files.diagnose({
          code: "schema_unchecked_regex",
          title: `${where} uses ${written}, which could not be checked (${verdict.reason})`,
          at,
          fix,
        }),
      ];
    }
    const text = `A crafted string can block this regular expression (${verdict.cost}), and with it the receiver of all webhooks:\n  ${verdict.attack}`;
    return [
      context.files.diagnose({
        code: "schema_unsafe_regex",
        title: `${where} uses an unsafe regular expression: ${written}`,
        at,
        text,
      }),
    ];
  });
}

function locate(
  file: string,
  field: SchemaField,
  stack: string | null,
  { files, mapper }: Context,
): SourceLocation | { file: string } {
  return (stack === null ? null : mapper.locate(stack)) ?? files.findProperty(file, field) ?? { file };
}

/** A schema that several fields share is reported once, for the first field in the order of files. */
function dropRepeats(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const seen = new Set<string>();
  return diagnostics.filter(({ code, file, line, column, title }) => {
    const key = JSON.stringify([code, file, line, column, line === null ? title : title.replace(/^.* uses /, "")]);
    if (line === null || column === null) return true;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Why a schema cannot contain something. */
function textFor(kind: "code" | "not-json", field: SchemaField): string {
  const exported =
    field === "headers" || field === "query"
      ? `${field} is exported`
      : isTriggers(field)
        ? "request and filter are exported"
        : "input and output are exported";
  return kind === "code"
    ? `${exported} to JSON Schema, which cannot contain code.`
    : `${exported} to JSON Schema, and JSON does not have this value.`;
}

/** The fix for one method. */
function fixFor(method: string, field: SchemaField): string {
  const fix = fixes[method];
  if (fix !== undefined) return fix(field);
  if (method.startsWith("z.coerce."))
    return `Describe the JSON as sent, e.g. z.string() or z.number(), and convert ${inCode(field)}.`;
  if (method.startsWith("z.literal("))
    return "Use a string, number, boolean or null, or .optional() for a value that may be missing.";
  return `Describe the JSON as sent, and convert ${inCode(field)}.`;
}

function inCode(field: SchemaField): string {
  if (isTriggers(field)) return "in .attach({ transform }) or at the top of run()";
  return field === "input" ? "at the top of run()" : "before you return";
}

function isTriggers(field: SchemaField): boolean {
  return field === "request" || field === "filter" || field === "headers" || field === "query";
}
