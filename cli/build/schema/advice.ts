export type SchemaField = "request" | "filter" | "input" | "output";

/** Why something cannot stand in a schema. */
export function textFor(kind: "code" | "not-json", field: SchemaField): string {
  const pair = isTriggers(field) ? "request and filter" : "input and output";
  return kind === "code"
    ? `${pair} are exported to JSON Schema, and JSON Schema cannot carry code.`
    : `${pair} are exported to JSON Schema, and JSON has no such value.`;
}

/** The way out for one method. */
export function fixFor(method: string, field: SchemaField): string {
  const fix = fixes[method];
  if (fix !== undefined) return fix(field);
  if (method.startsWith("z.coerce."))
    return `Describe what is sent, e.g. z.string() or z.number(), and convert ${inCode(field)}.`;
  if (method.startsWith("z.literal("))
    return "Use a literal that JSON has: text, number, boolean or null; .optional() for what may be missing.";
  return `Keep the wire shape here, and convert ${inCode(field)}.`;
}

const checks = (field: SchemaField): string =>
  field === "filter"
    ? "Say it with literals, enums and built-in checks (.min(), .regex(), .startsWith(), ...); what cannot be said so, decide at the top of run()."
    : `Use built-in checks (.min(), .email(), .regex(), z.enum(), ...) here, and check the rest ${field === "output" ? "before you return" : "at the top of run()"}.`;

const fixes: Record<string, (field: SchemaField) => string> = {
  ".refine()": checks,
  ".superRefine()": checks,
  ".check()": checks,
  "z.custom()": checks,
  "z.property()": checks,
  "z.stringFormat()": checks,
  "z.instanceof()": () => "Describe the JSON of the value, e.g. z.object({ ... }).",
  ".overwrite()": (field) =>
    `Only .trim(), .toLowerCase(), .toUpperCase(), .normalize() and .slugify() may change a text here. Convert ${inCode(field)}.`,
  ".catch()": () => "It takes any value at all. Say what may come instead: z.union([...]), .optional() or .default().",
  "z.stringbool()": (field) => `Say which texts are sent, e.g. z.enum(["yes", "no"]), and convert ${inCode(field)}.`,
  "z.date()": (field) => `Use z.iso.datetime() (zod/v3: z.string().datetime()), and make the Date ${inCode(field)}.`,
  "z.bigint()": (field) => `Use z.string().regex(/^\\d+$/) or z.int(), and make the bigint ${inCode(field)}.`,
  "z.map()": (field) => `Use z.record(), and make the Map ${inCode(field)}.`,
  "z.set()": (field) => `Use z.array(), and make the Set ${inCode(field)}.`,
  "z.undefined()": () => "Use .optional() for what may be missing, z.null() for null.",
  "z.void()": () => "Leave output out when nothing is returned; use z.null() or .optional() elsewhere.",
  "z.nan()": () => "Use z.number() or z.null(): JSON has no NaN.",
  "z.file()": () => "Use z.url() for a file that lies elsewhere, or z.base64() for one that is sent along.",
  "z.promise()": () => "Describe the value itself: bodies are read whole before they are parsed.",
  "z.function()": () => "Send what the function needs, as JSON.",
  "z.symbol()": () => "Use z.literal() or z.enum() with texts.",
};

function inCode(field: SchemaField): string {
  if (isTriggers(field)) return "in .attach({ transform }) or at the top of run()";
  return field === "input" ? "at the top of run()" : "before you return";
}

function isTriggers(field: SchemaField): boolean {
  return field === "request" || field === "filter";
}
