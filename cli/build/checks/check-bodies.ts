import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import type { BodyFormat } from "../../../server/contract/project/endpoint.ts";
import { factsOf } from "../../../server/shared/schema/facts-of.ts";
import { namedFields, isObjectSchema } from "../../../server/shared/schema/named-fields.ts";
import type { DiagnosticCode } from "../diagnostics/diagnostic-codes.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { EvaluatedEntry, EvaluatedTrigger } from "../evaluation/protocol.ts";
import type { ProjectFiles } from "../project-files.ts";
import { show } from "./check-definitions.ts";
import { methodsOf } from "./check-methods.ts";

type Bodies = Pick<EvaluatedTrigger, "body" | "bigints" | "verify" | "methods">;

/** Diagnostics of `body` and `bigints`, and of schemas and options that do not apply to the format. */
export function bodyDiagnostics(entries: readonly EvaluatedEntry[], files: ProjectFiles): Diagnostic[] {
  return entries.flatMap((entry) => {
    if (entry.outcome !== "trigger") return [];
    const { file, trigger } = entry;
    return findProblems(trigger).map(({ code, property, title, ...severity }) => {
      const at = files.findProperty(file, property) ?? { file };
      return files.diagnose({ code, title: `${file} › ${title}`, at, ...severity });
    });
  });
}

/**
 * The formats in which the endpoint accepts bodies: that of `body`, otherwise those of the verified sender. The query
 * of a GET is a form. Requires options without diagnostics.
 */
export function bodyFormatsOf({ body, bigints, verify, methods }: Bodies): BodyFormat[] {
  const numbers = bigints === "string" ? "string" : "number";
  const accepted = methodsOf(methods);
  const posted = body === undefined ? (verify?.bodies ?? ["json"]) : [body];
  const options = [
    ...(accepted.includes("POST") ? posted : []),
    ...(accepted.includes("GET") && !(accepted.includes("POST") && posted.includes("form")) ? ["form"] : []),
  ];
  return options.flatMap((option): BodyFormat[] => {
    const format = readBody(option);
    if (format === null) return [];
    return [format.type === "json" || format.type === "form" ? { ...format, bigints: numbers } : format];
  });
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
  /** Default: an error. */
  severity?: "warning";
}

function findProblems(trigger: EvaluatedTrigger): Problem[] {
  const { bigints, dedupe, request, filter, verify, methods } = trigger;
  const body = methodsOf(methods).includes("POST") ? trigger.body : (trigger.body ?? "form");
  const format = readBody(body);
  if (!format) return [{ code: "invalid_body", property: "body", title: `body is ${show(body)}` }];
  if (bigints !== undefined && bigints !== "number" && bigints !== "string")
    return [{ code: "invalid_body", property: "bigints", title: `bigints is ${show(bigints)}` }];
  const found: Problem[] = [];
  if (!isSent(format, verify))
    found.push({
      code: "unsent_body",
      property: "body",
      title: `body is ${show(body)}, but ${verify?.scheme} sends ${verify?.bodies?.map(show).join(" or ")}`,
      severity: "warning",
    });
  const isJson = format.type === "json" || (format.type === "form" && format.field !== null);
  if (isJson) return found;
  if (bigints !== undefined)
    found.push({ code: "only_for_json", property: "bigints", title: `bigints does not apply to ${show(body)}` });
  const isText = format.type === "text" || format.type === "bytes";
  if (isText && typeof dedupe === "object" && dedupe !== null && "field" in dedupe)
    found.push({
      code: "only_for_json",
      property: "field",
      title: `dedupe › field does not apply to ${show(body)}`,
    });
  const schemas = [
    ["request", request.json],
    ["filter", filter?.json ?? null],
  ] as const;
  return [...found, ...schemas.flatMap(([name, schema]) => (schema ? schemaProblems(name, schema, format) : []))];
}

/** Whether the verified sender sends bodies of this type. Text and bytes accept every type. */
function isSent({ type }: BodyFormat, verify: EvaluatedTrigger["verify"]): boolean {
  const bodies = verify?.bodies ?? null;
  if (bodies === null || type === "text" || type === "bytes") return true;
  return bodies.some((option) => readBody(option)?.type === type);
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
  return namedFields(schema)
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
