import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import type { BodyFormat } from "../../../server/contract/project/endpoint.ts";
import { factsOf } from "../../../server/domain/schema/facts-of.ts";
import { headerFields, isObjectSchema } from "../../../server/domain/schema/header-fields.ts";
import type { DiagnosticCode } from "../diagnostics/diagnostic-codes.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { EvaluatedEntry, EvaluatedTrigger } from "../evaluation/protocol.ts";
import type { ProjectFiles } from "../project-files.ts";
import { show } from "./check-definitions.ts";

type Bodies = Pick<EvaluatedTrigger, "body" | "bigints" | "verify">;

/** Diagnostics of `body` and `bigints`, and of schemas and options that do not apply to the format. */
export function bodyDiagnostics(entries: readonly EvaluatedEntry[], files: ProjectFiles): Diagnostic[] {
  return entries.flatMap((entry) => {
    if (entry.outcome !== "trigger") return [];
    const { file, trigger } = entry;
    return findProblems(trigger).map(({ code, property, title }) =>
      files.diagnose({ code, title: `${file} › ${title}`, at: files.findProperty(file, property) ?? { file } }),
    );
  });
}

/**
 * The formats in which the endpoint accepts bodies. Requires options without diagnostics. GitHub sends forms unless its
 * settings say otherwise.
 */
export function bodyFormatsOf({ body, bigints, verify }: Bodies): BodyFormat[] {
  const numbers = bigints === "string" ? "string" : "number";
  const format = readBody(body);
  if (format === null) return [];
  if (format.type !== "json") return [format.type === "form" ? { ...format, bigints: numbers } : format];
  const json: BodyFormat = { type: "json", bigints: numbers };
  return body === undefined && verify?.scheme === "github"
    ? [json, { type: "form", field: "payload", bigints: numbers }]
    : [json];
}

/** `null`: it is no format. */
function readBody(body: unknown): BodyFormat | null {
  switch (body) {
    case undefined:
    case "json":
      return { type: "json", bigints: "number" };
    case "form":
      return { type: "form", field: null, bigints: "number" };
    case "multipart":
    case "text":
    case "bytes":
      return { type: body };
    default:
      return readFormOption(body);
  }
}

function readFormOption(body: unknown): BodyFormat | null {
  if (typeof body !== "object" || body === null) return null;
  const { type, field, ...others }: { type?: unknown; field?: unknown } = body;
  if (type !== "form" || Object.keys(others).length > 0) return null;
  return typeof field === "string" && field !== "" ? { type, field, bigints: "number" } : null;
}

interface Problem {
  code: DiagnosticCode;
  property: string;
  title: string;
}

function findProblems(trigger: EvaluatedTrigger): Problem[] {
  const { body, bigints, dedupe, request, filter } = trigger;
  const format = readBody(body);
  if (!format) return [{ code: "invalid_body", property: "body", title: `body is ${show(body)}` }];
  if (bigints !== undefined && bigints !== "number" && bigints !== "string")
    return [{ code: "invalid_body", property: "bigints", title: `bigints is ${show(bigints)}` }];
  const isJson = format.type === "json" || (format.type === "form" && format.field !== null);
  if (isJson) return [];
  const onlyJson: Problem[] = [];
  if (bigints !== undefined)
    onlyJson.push({ code: "only_for_json", property: "bigints", title: `bigints does not apply to ${show(body)}` });
  const isText = format.type === "text" || format.type === "bytes";
  if (isText && typeof dedupe === "object" && dedupe !== null && "field" in dedupe)
    onlyJson.push({
      code: "only_for_json",
      property: "field",
      title: `dedupe › field does not apply to ${show(body)}`,
    });
  const schemas = [
    ["request", request.json],
    ["filter", filter?.json ?? null],
  ] as const;
  return [...onlyJson, ...schemas.flatMap(([name, schema]) => (schema ? schemaProblems(name, schema, format) : []))];
}

function schemaProblems(name: string, schema: JsonSchemaObject, { type }: BodyFormat): Problem[] {
  const { types, values } = factsOf(schema, schema);
  if (type === "text" || type === "bytes") {
    const takesText =
      types.length === 0 ? values === null || values.some((one) => typeof one === "string") : types.includes("string");
    return takesText ? [] : [{ code: "body_mismatch", property: name, title: `${name} matches no string` }];
  }
  if (types.length > 0 && !isObjectSchema(schema))
    return [{ code: "body_mismatch", property: name, title: `${name} matches no object` }];
  return headerFields(schema)
    .filter(({ takes, schema: field }) => takes === "other" && isTyped(field, schema, type))
    .map(({ name: field }) => ({
      code: "body_mismatch",
      property: field,
      title: `${name} › ${field} is neither a string nor an array of strings${type === "multipart" ? ", nor a file" : ""}`,
    }));
}

/** Whether the schema says what it accepts. A file of a multipart form is an object. */
function isTyped(field: JsonSchemaObject, root: JsonSchemaObject, type: BodyFormat["type"]): boolean {
  const { types, values } = factsOf(field, root);
  return (types.length > 0 || values !== null) && !(type === "multipart" && types.includes("object"));
}
