import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import type { RunKeyParts } from "../../../server/contract/project/run-key.ts";
import { findSensitive } from "../../../server/domain/privacy/sensitive-schema.ts";
import { isSecretHeader } from "../../../server/domain/privacy/secret-names.ts";
import { fromPointer } from "../../../server/shared/json/json-pointer.ts";
import { typesAt } from "../../../server/shared/schema/check-path.ts";
import type { DiagnosticCode } from "../diagnostics/diagnostic-codes.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { EvaluatedEntry, EvaluatedTrigger } from "../evaluation/protocol.ts";
import type { ProjectFiles } from "../project-files.ts";
import { show } from "./check-definitions.ts";
import { findWrongPath, readHeaderName, readPointer } from "./request-values.ts";

interface Problem {
  code: DiagnosticCode;
  title: string;
  /** The option or the value at fault. */
  property: string;
  value?: unknown;
  fix?: string | undefined;
}

/** Diagnostics of `key`: its form, and values that a run cannot be about. */
export function keyDiagnostics(entries: readonly EvaluatedEntry[], files: ProjectFiles): Diagnostic[] {
  const triggers = entries.flatMap((entry) =>
    entry.outcome === "trigger" ? [{ file: entry.file, trigger: entry.trigger }] : [],
  );
  return triggers.flatMap(({ file, trigger }) => {
    if (trigger.key === undefined) return [];
    const read = readKey(trigger.key);
    // Values are masked if any trigger of the endpoint marks them.
    const all = triggers.flatMap((other) => (other.trigger.endpoint === trigger.endpoint ? [other.trigger] : []));
    const problems = Array.isArray(read) ? read.flatMap((part) => partProblems(part, trigger, all)) : [read];
    return problems.map(({ code, title, property, value, fix }) =>
      files.diagnose({
        code,
        title: `${file} › key › ${title}`,
        at: files.findProperty(file, property, value) ?? files.findProperty(file, "key") ?? { file },
        ...(fix !== undefined && { fix }),
      }),
    );
  });
}

/** Triggers whose runs get no key, although their target limits the runs of each key: a warning. */
export function missingKeyDiagnostics(entries: readonly EvaluatedEntry[], files: ProjectFiles): Diagnostic[] {
  const limited = new Set(
    entries.flatMap((entry) =>
      (entry.outcome === "workflow" && hasPerKey(entry.workflow)) ||
      (entry.outcome === "agent" && hasPerKey(entry.agent))
        ? [entry.file]
        : [],
    ),
  );
  return entries.flatMap((entry) => {
    if (entry.outcome !== "trigger") return [];
    const { key, target } = entry.trigger;
    if (key !== undefined || !target?.file || !limited.has(target.file)) return [];
    const { file } = entry;
    return [
      files.diagnose({
        code: "missing_run_key",
        title: `${file} has no key, and ${target.kind} ${show(target.slug)} limits the runs of each key`,
        at: files.findProperty(file, target.kind) ?? { file },
        severity: "warning",
      }),
    ];
  });
}

const hasPerKey = ({ concurrency }: { readonly concurrency?: unknown }): boolean =>
  typeof concurrency === "object" &&
  concurrency !== null &&
  "perKey" in concurrency &&
  concurrency.perKey !== undefined;

/** The parsed `key`. Requires a value without errors. */
export function keyOf({ key }: Pick<EvaluatedTrigger, "key">): RunKeyParts | null {
  const read = key === undefined ? null : readKey(key);
  return Array.isArray(read) ? read.map(({ written: _written, ...part }) => part) : null;
}

/** `written`: the value as the file has it. */
type WrittenPart = RunKeyParts[number] & { written: string };

const invalid = (title: string, property = "key"): Problem => ({ code: "invalid_key", title, property });

function readKey(key: unknown): WrittenPart[] | Problem {
  const parts: unknown[] = Array.isArray(key) ? key : [key];
  if (parts.length === 0 || parts.length > 3) return invalid(`has ${parts.length} values`);
  const read: WrittenPart[] = [];
  for (const part of parts) {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return invalid(`is ${show(part)}`);
    const options: { field?: unknown; header?: unknown } = part;
    const unknown = Object.keys(options).find((name) => name !== "field" && name !== "header");
    if (unknown !== undefined) return invalid(`${unknown} is not an option`, unknown);
    const { field, header } = options;
    if ((field === undefined) === (header === undefined))
      return invalid(field === undefined ? "has no field or header" : "has a field and a header in one value");
    const pointer = field === undefined ? null : readPointer(field);
    const name = header === undefined ? null : readHeaderName(header);
    if (pointer !== null) read.push({ field: pointer, written: String(field) });
    else if (name !== null) read.push({ header: name, written: String(header) });
    else if (field !== undefined)
      return invalid(`field is ${show(field)}, which is not a JSON Pointer or a dotted path`, "field");
    else return invalid(`header is ${show(header)}, which is not a header name`, "header");
  }
  return read;
}

/** Only these can be a key. Of numbers, only integers are. */
const keyTypes = new Set(["string", "integer", "number"]);

function partProblems(
  part: WrittenPart,
  { request, verify }: EvaluatedTrigger,
  all: readonly EvaluatedTrigger[],
): Problem[] {
  const { written } = part;
  if ("header" in part) {
    const { header } = part;
    if (isSensitive(jsonOf(all, "headers"), [header]))
      return [{ property: "header", value: written, code: "sensitive_key", title: `${header} is sensitive` }];
    if (!isSecretHeader(header) && !verify?.proofHeaders.includes(header)) return [];
    return [
      {
        code: "secret_header",
        title: `${header} carries a credential or a signature`,
        property: "header",
        value: written,
        fix: "Name another header, or a field of the payload.",
      },
    ];
  }
  if (!request.json) return [];
  const path = fromPointer(part.field);
  const at = { property: "field", value: written };
  const wrong = findWrongPath(request.json, path);
  if (wrong) {
    const fix = wrong.similar === null ? undefined : `Did you mean ${wrong.similar}?`;
    return [{ ...at, code: "unknown_key_field", title: wrong.what, fix }];
  }
  if (isSensitive([...jsonOf(all, "request"), ...jsonOf(all, "filter"), ...jsonOf(all, "event")], path))
    return [{ ...at, code: "sensitive_key", title: `${part.field} is sensitive` }];
  const types = typesAt(request.json, path);
  if (types === null || types.some((type) => keyTypes.has(type))) return [];
  return [
    {
      ...at,
      code: "invalid_key",
      title: `${part.field} is ${types.length === 0 ? "no string or integer" : `of type ${types.join(" or ")}`}`,
    },
  ];
}

/** Whether the value, or one that contains it, is sensitive. */
function isSensitive(schemas: readonly JsonSchemaObject[], path: readonly string[]): boolean {
  let place = findSensitive(schemas);
  if (place?.isSensitive === true) return true;
  for (const name of path) {
    place = place === null ? null : (place.property(name) ?? (/^\d+$/.test(name) ? place.item(Number(name)) : null));
    if (place?.isSensitive === true) return true;
  }
  return place?.hasSensitive === true;
}

function jsonOf(
  triggers: readonly EvaluatedTrigger[],
  part: "request" | "filter" | "event" | "headers",
): JsonSchemaObject[] {
  return triggers.flatMap((trigger) => {
    const json = trigger[part]?.json;
    return json ? [json] : [];
  });
}
