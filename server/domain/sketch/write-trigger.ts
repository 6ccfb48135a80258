import type { BodyFormat, Methods, OnMismatch } from "../../contract/project/endpoint.ts";
import { bigintsOf } from "../../contract/request-parts.ts";
import { formatCount, formatNumber } from "../../shared/format.ts";
import type { Discriminator } from "./discriminator.ts";
import { type Shape, shapeOf } from "./shape.ts";
import type { Sketch } from "./sketch.ts";
import { quote, writeSchema } from "./write-schema.ts";

/** A file of a project. */
interface ProjectFile {
  slug: string;
  /** Relative to the project, e.g. `triggers/github-issues.ts`. */
  file: string;
  code: string;
}

export interface TriggerCode {
  trigger: ProjectFile;
  /** The workflow that the trigger starts. It logs the payload. */
  workflow: ProjectFile;
}

/** How an endpoint verifies signatures. All of its sources have the same `verify`. */
export interface EndpointVerification {
  /** The function of `signalbox/verify`, e.g. `github`. */
  scheme: string;
  /** The environment variable with the secret; `null`: it is unknown, or there are more options. */
  secretVariable: string | null;
  /** A trigger file that has it. */
  file: string;
}

/** Writes a trigger for all payloads, or with a schema for each kind. */
export function writeTrigger(p: {
  endpoint: string;
  file: string | null;
  all: Sketch;
  discriminator: Discriminator | null;
  kinds: readonly (readonly [value: string, sketch: Sketch])[];
  only: string | null;
  /** The formats in which the endpoint accepts bodies. */
  formats: readonly BodyFormat[];
  /** Those of the endpoint. */
  methods: Methods;
  /** The queries of the same payloads. */
  queries: Sketch;
  verify: EndpointVerification | null;
  /** `null`: the default. */
  onMismatch: OnMismatch | null;
}): TriggerCode {
  const slug = slugOf(`${p.endpoint}${p.only === null ? "" : `-${p.only}`}`);
  const workflowSlug = slugOf(`handle-${slug}`);
  const file = p.file ?? `triggers/${slug}.ts`;
  const workflowName = camelCase(workflowSlug);
  const { constants, headers, request } = schemasOf(p, workflowName);
  const sketches = p.kinds.length > 0 ? p.kinds.map(([, sketch]) => sketch) : [p.all];
  return {
    trigger: {
      slug,
      file,
      code: [
        'import { defineWebhookSource } from "signalbox/trigger";',
        ...(p.verify?.secretVariable ? [`import { ${p.verify.scheme} } from "signalbox/verify";`] : []),
        'import { z } from "zod";',
        `import ${workflowName} from "${relativeImport(file, `workflows/${workflowSlug}`)}";`,
        "",
        ...constants,
        `/** ${describeEvidence(sketches)} */`,
        "export default defineWebhookSource({",
        `  slug: ${quote(slug)},`,
        `  endpoint: ${quote(p.endpoint)},`,
        ...methodsOption(p.methods).map((line) => `  ${line}`),
        ...(p.methods.includes("POST") ? bodyOptions(p.formats).map((line) => `  ${line}`) : []),
        ...(p.verify ? [`  ${verifyOption(p.verify)}`] : []),
        ...(p.onMismatch === null ? [] : [`  onMismatch: ${quote(p.onMismatch)},`]),
        ...(headers === null ? [] : [`  ${headers}`]),
        ...(p.methods.includes("GET") ? [] : querySuggestion(p.queries)).map((line) => `  // ${line}`),
        `  request: ${request},`,
        `}).attach({ workflow: ${workflowName} });`,
        "",
      ].join("\n"),
    },
    workflow: { slug: workflowSlug, file: `workflows/${workflowSlug}.ts`, code: workflowCode(workflowSlug) },
  };
}

/** The option `methods`, if it is not the default. */
function methodsOption(methods: Methods): string[] {
  return methods.includes("GET") ? [`methods: [${methods.map(quote).join(", ")}],`] : [];
}

/**
 * The option `query`, which the user can uncomment: payloads do not show whether a parameter is a condition. None if
 * the deliveries have different parameters.
 */
function querySuggestion(queries: Sketch): string[] {
  const shape = shapeOf(queries);
  if (shape.kind !== "object" || shape.fields.length === 0 || shape.others) return [];
  if (shape.fields.some(({ isOptional }) => isOptional)) return [];
  return [
    "Every URL has these parameters. Uncomment them for a condition:",
    ...`query: ${writeSchema(shape)},`.split("\n"),
  ];
}

/** The options `body` and `bigints`, if they are not the defaults. An endpoint has several formats only by its `verify`. */
function bodyOptions(formats: readonly BodyFormat[]): string[] {
  const [only, ...others] = formats;
  const bigints = bigintsOf(formats) === "string" ? ['bigints: "string",'] : [];
  if (!only || others.length > 0 || only.type === "json") return bigints;
  if (only.type !== "form" || only.field === null) return [`body: ${quote(only.type)},`];
  return [`body: { type: "form", field: ${quote(only.field)} },`, ...bigints];
}

function verifyOption({ scheme, secretVariable, file }: EndpointVerification): string {
  return secretVariable === null
    ? `// The endpoint verifies signatures (${quote(scheme).slice(1, -1)}): copy \`verify\` from ${file}.`
    : `verify: ${scheme}({ secret: process.env[${quote(secretVariable)}] }),`;
}

function describeEvidence(sketches: readonly Sketch[]): string {
  const count = sketches.reduce((sum, one) => sum + one.count, 0);
  const first = day(Math.min(...sketches.map(({ firstSeen }) => firstSeen)));
  const last = day(Math.max(...sketches.map(({ lastSeen }) => lastSeen)));
  const isCut = sketches.some(({ firstOmitted }) => firstOmitted !== null);
  return `Inferred from ${formatCount(count, "payload")} of ${first === last ? first : `${first} to ${last}`}.${isCut ? " The deepest fields are left out." : ""}`;
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

interface Schemas {
  /** Lines before the definition. */
  constants: string[];
  /** The line of the option `headers`; `null`: none. */
  headers: string | null;
  request: string;
}

function schemasOf({ all, discriminator, kinds }: Parameters<typeof writeTrigger>[0], workflowName: string): Schemas {
  const [first] = kinds;
  if (!discriminator || !first) return { constants: [], headers: null, request: writeSchema(shapeOf(all), "  ") };
  const { at } = discriminator;
  const path = "path" in at ? at.path : null;
  const literal = (value: string) => (path === null ? null : { path, value });
  const headers = "header" in at ? headersLine(at.header, { kinds, of: all.count }) : null;
  if (kinds.length === 1)
    return {
      constants: [],
      headers,
      request: writeSchema(shapeOf(first[1], { literal: literal(first[0]), wider: all }), "  "),
    };
  const [, ...names] = uniqueNames([workflowName, ...kinds.map(([value]) => camelCase(value))]);
  const shapes = kinds.map(([value, sketch]) => shapeOf(sketch, { literal: literal(value), wider: all }));
  const constants = kinds.flatMap(([value, { count }], at) => [
    `/** ${commentText(value)}: ${formatNumber(count)} of ${formatNumber(all.count)}. */`,
    `const ${names[at]} = ${writeSchema(shapes[at] ?? { kind: "unknown" })};`,
    "",
  ]);
  const key = path === null ? null : topLevelKey(path);
  const isDiscriminated = key !== null && shapes.every(({ kind }) => kind === "object");
  const list = `[${(path === null ? broadestLast(names, shapes) : names).join(", ")}]`;
  return {
    constants,
    headers,
    request: isDiscriminated ? `z.discriminatedUnion(${quote(key)}, ${list})` : `z.union(${list})`,
  };
}

function headersLine(
  name: string,
  { kinds, of }: { kinds: readonly (readonly [value: string, sketch: Sketch])[]; of: number },
): string {
  const values = kinds.map(([value]) => quote(value));
  const schema = values.length === 1 ? `z.literal(${values[0]})` : `z.enum([${values.join(", ")}])`;
  const count = kinds.reduce((sum, [, sketch]) => sum + sketch.count, 0);
  return `headers: z.object({ ${quote(name)}: ${schema} }), // in ${count} of ${of}`;
}

/** Without a literal in the body, the first schema that matches wins: those with more required fields come first. */
function broadestLast(names: readonly string[], shapes: readonly Shape[]): string[] {
  return names
    .map((name, at) => ({ name, required: requiredFields(shapes[at]) }))
    .sort((one, other) => other.required - one.required || (one.name < other.name ? -1 : 1))
    .map(({ name }) => name);
}

function requiredFields(shape: Shape | undefined): number {
  return shape?.kind === "object" ? shape.fields.filter(({ isOptional }) => !isOptional).length : 0;
}

function topLevelKey(path: string): string | null {
  const key = path.slice(1);
  return key.includes("/") ? null : key.replaceAll("~1", "/").replaceAll("~0", "~");
}

function workflowCode(slug: string): string {
  return [
    'import { defineWorkflow } from "signalbox/workflow";',
    'import { z } from "zod";',
    "",
    "export default defineWorkflow({",
    `  slug: ${quote(slug)},`,
    "  input: z.unknown(),",
    '  run: (payload, ctx) => ctx.log.info("Received", { payload }),',
    "});",
    "",
  ].join("\n");
}

/** A kind is shown in a block comment. */
function commentText(value: string): string {
  return quote(value).replaceAll("*/", "*\\/");
}

/** At most 64 characters of `a-z`, `0-9` and single hyphens. */
function slugOf(text: string): string {
  const slug = text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 64)
    .replace(/-$/, "");
  return slug === "" ? "webhook" : slug;
}

function camelCase(text: string): string {
  const name = slugOf(text).replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return /^[a-z]/.test(name) && !reserved.has(name) ? name : `kind${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** Words of JavaScript and of the file itself that cannot be names of constants. */
const reserved = new Set(
  "arguments as async await break case catch class const continue debugger default defineWebhookSource delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null of package private protected public return static super switch this throw true try typeof undefined var void while with yield z".split(
    " ",
  ),
);

function uniqueNames(names: readonly string[]): string[] {
  const used = new Map<string, number>();
  return names.map((name) => {
    const count = (used.get(name) ?? 0) + 1;
    used.set(name, count);
    return count === 1 ? name : `${name}_${count}`;
  });
}

/** The import of a file (without extension) from another one, both relative to the project. */
function relativeImport(from: string, to: string): string {
  const folders = from.split("/").slice(0, -1);
  const parts = to.split("/");
  let shared = 0;
  while (shared < folders.length && folders[shared] === parts[shared]) shared++;
  const up = folders.slice(shared).map(() => "..");
  return `${up.length === 0 ? "." : up.join("/")}/${parts.slice(shared).join("/")}`;
}
