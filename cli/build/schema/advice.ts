export type SchemaField = "request" | "filter" | "input" | "output";

/** Why a schema cannot contain something. */
export function textFor(kind: "code" | "not-json", field: SchemaField): string {
  const pair = isTriggers(field) ? "request and filter" : "input and output";
  return kind === "code"
    ? `${pair} are exported to JSON Schema, which cannot contain code.`
    : `${pair} are exported to JSON Schema, and JSON does not have this value.`;
}

/** The fix for one method. */
export function fixFor(method: string, field: SchemaField): string {
  const fix = fixes[method];
  if (fix !== undefined) return fix(field);
  if (method.startsWith("z.coerce."))
    return `Describe the JSON as sent, e.g. z.string() or z.number(), and convert ${inCode(field)}.`;
  if (method.startsWith("z.literal("))
    return "Use a string, number, boolean or null, or .optional() for a value that may be missing.";
  return `Describe the JSON as sent, and convert ${inCode(field)}.`;
}

const checks = (field: SchemaField): string =>
  field === "filter"
    ? "Use literals, enums and built-in checks (.min(), .regex(), .startsWith(), ...). Decide the rest at the top of run()."
    : `Use built-in checks (.min(), .email(), .regex(), z.enum(), ...), and check the rest ${field === "output" ? "before you return" : "at the top of run()"}.`;

const fixes: Record<string, (field: SchemaField) => string> = {
  ".refine()": checks,
  ".superRefine()": checks,
  ".check()": checks,
  "z.custom()": checks,
  "z.property()": checks,
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

function inCode(field: SchemaField): string {
  if (isTriggers(field)) return "in .attach({ transform }) or at the top of run()";
  return field === "input" ? "at the top of run()" : "before you return";
}

function isTriggers(field: SchemaField): boolean {
  return field === "request" || field === "filter";
}
