import { createHash } from "node:crypto";
import { AppError } from "../../contract/app-error.ts";
import type { Delivery } from "../../contract/delivery.ts";
import type { Json } from "../../contract/json.ts";
import type { BodyFormat } from "../../contract/project/endpoint.ts";
import { sentTypes } from "../../shared/schema/encode-body.ts";
import type { ParsedJson } from "../json/parse-exactly.ts";
import { charsetOf, decodeText } from "./charset.ts";
import { decodeContent, readEncodings } from "./content-encoding.ts";
import { invalidBody, quoteName, readForm } from "./form-text.ts";
import { readMultipart } from "./multipart.ts";
import { parseJsonBody } from "./request-body.ts";

/** How the body of a request is read: the formats that an endpoint accepts, and the value that its triggers evaluate. */

/** Default of an endpoint. */
export const onlyJson: readonly BodyFormat[] = [{ type: "json", bigints: "number" }];

/** The query of a request, read as a body. */
export const queryFormat: BodyFormat = { type: "form", field: null, bigints: "number" };

/** The headers that announce a body. */
interface BodyHeaders {
  contentType: string | undefined;
  contentEncoding: string | undefined;
  /** Other types that are JSON here. */
  jsonTypes?: readonly string[] | undefined;
}

/** Selects the accepted format that the headers announce. Returns AppError `unsupported_media_type` if none is. */
export function chooseFormat(formats: readonly BodyFormat[], headers: BodyHeaders): BodyFormat | AppError {
  const [type = ""] = (headers.contentType ?? "").split(";", 1);
  const isJson = headers.jsonTypes?.includes(type.trim().toLowerCase()) === true;
  const format = formats.find((each) => mediaTypes[each.type].test(type.trim()) || (isJson && each.type === "json"));
  if (!format) return unsupported(wrongType(formats, headers));
  if (format.type === "bytes") return format;
  if (charsetOf(headers.contentType) === null)
    return unsupported("The charset in the Content-Type is unknown. Send the body in UTF-8.");
  const encodings = readEncodings(headers.contentEncoding);
  return encodings instanceof AppError ? encodings : format;
}

/** The types to send, for the header `Accept` of a response. */
export function acceptedTypes(formats: readonly BodyFormat[]): string {
  return [...new Set(formats.map(({ type }) => sentTypes[type]))].join(", ");
}

const token = "[!#$%&'*+.^_`|~0-9a-z-]+";

const mediaTypes: Record<BodyFormat["type"], RegExp> = {
  json: new RegExp(`^(?:application/json|${token}/${token}\\+json)$`, "i"),
  form: /^application\/x-www-form-urlencoded$/i,
  multipart: /^multipart\/form-data$/i,
  text: /^/,
  bytes: /^/,
};

const names: Record<BodyFormat["type"], string> = {
  json: "JSON",
  form: "that of a form",
  multipart: "that of a multipart form",
  text: "text",
  bytes: "bytes",
};

function wrongType(formats: readonly BodyFormat[], { contentType }: BodyHeaders): string {
  const types = formats.map(({ type }) => sentTypes[type]).join(" or ");
  if (contentType === undefined) return `The request has no Content-Type. Send ${types}.`;
  const isJson = formats.every(({ type }) => type === "json");
  const wanted = formats.map(({ type }) => names[type]).join(" or ");
  return `The Content-Type is not ${wanted}. Send ${types}${isJson ? ", or a type that ends in +json" : ""}.`;
}

function unsupported(detail: string): AppError {
  return new AppError("unsupported_media_type", detail);
}

/** A file of a multipart form: its bytes are in the stored body. */
type FileReference = {
  filename: string;
  contentType: string;
  size: number;
  sha256: string;
  /** Of the API, which returns the bytes. */
  path: string;
};

/**
 * The value of a body, in the charset of its Content-Type. Throws AppError `invalid_json` or `invalid_body`, which
 * never contains a value of the body.
 */
export function parseBody(
  bytes: Uint8Array<ArrayBuffer>,
  { format, contentType, deliveryId }: { format: BodyFormat; contentType: string | undefined; deliveryId: string },
): ParsedJson {
  switch (format.type) {
    case "json":
      return parseJsonBody(jsonBytes(bytes, contentType), format);
    case "form":
      return parseForm(bytes, { format, contentType });
    case "multipart":
      return exactly(collectFields(describeFields(readMultipart(bytes, contentType ?? ""), deliveryId)));
    case "text":
      return exactly(decodeBody(bytes, contentType));
    case "bytes":
      return exactly(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64"));
  }
}

/** Bodies with more bytes are not read again. A compressed body is recorded without compression, unless it was rejected. */
const maxRecordedBytes = 128 * 1024 * 1024;

/**
 * The stored bytes of a body as its format needs them. Those of a rejected request can be compressed. Throws AppError
 * `unsupported_media_type`, `invalid_body` or `body_too_large`.
 */
export async function contentOf(
  stored: Uint8Array<ArrayBuffer>,
  { type, contentEncoding }: { type: BodyFormat["type"]; contentEncoding: string | undefined },
): Promise<Uint8Array<ArrayBuffer>> {
  const encodings = type === "bytes" ? [] : readEncodings(contentEncoding);
  if (encodings instanceof AppError) throw encodings;
  return decodeContent(stored, encodings, { maxBytes: maxRecordedBytes });
}

/** The value of a recorded body in one of the formats. */
interface RecordedBody extends ParsedJson {
  format: BodyFormat;
  /** The value as JSON, in the sender's notation if the sender wrote JSON. */
  text: string;
  /** Whether the stored bytes are this text, or a form, in UTF-8. */
  isPlain: boolean;
}

/**
 * Parses the body of a delivery as an endpoint with these formats evaluates it now. `null`: the body is not stored, or
 * it is valid in none of the formats.
 */
export async function parseRecorded(
  { id, body, headers }: Pick<Delivery, "id" | "body" | "headers">,
  formats: readonly BodyFormat[],
): Promise<RecordedBody | null> {
  if (body === null) return null;
  const stored = Buffer.from(body, "base64");
  const header = (name: string) => (Object.hasOwn(headers, name) ? headers[name] : undefined);
  const contentType = header("content-type");
  const contentEncoding = header("content-encoding");
  const chosen = chooseFormat(formats, { contentType, contentEncoding });
  // Some senders send JSON as another type.
  const format = chosen instanceof AppError ? formats.find(({ type }) => type === "json") : chosen;
  if (!format) return null;
  try {
    const bytes = await contentOf(stored, { type: format.type, contentEncoding });
    const parsed = parseBody(bytes, { format, contentType, deliveryId: id });
    const text = textOf(bytes, { format, contentType }) ?? JSON.stringify(parsed.json);
    return { ...parsed, format, text, isPlain: bytes === stored && (charsetOf(contentType) ?? "utf-8") === "utf-8" };
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** The JSON that the sender wrote. `null`: the body is in another format. */
function textOf(
  bytes: Uint8Array,
  { format, contentType }: { format: BodyFormat; contentType: string | undefined },
): string | null {
  if (format.type === "json") return decodeBody(bytes, contentType);
  if (format.type !== "form" || format.field === null) return null;
  return jsonField(readForm(bytes, charsetOf(contentType) ?? undefined), format.field);
}

const exactly = (json: Json): ParsedJson => ({ json, rounded: [] });

/** In UTF-8. Its parser reports where other bytes are. */
function jsonBytes(bytes: Uint8Array, contentType: string | undefined): Uint8Array {
  const charset = charsetOf(contentType) ?? "utf-8";
  return charset === "utf-8" ? bytes : Buffer.from(decodeBody(bytes, contentType));
}

function decodeBody(bytes: Uint8Array, contentType: string | undefined): string {
  const charset = charsetOf(contentType) ?? "utf-8";
  try {
    return decodeText(bytes, charset);
  } catch (cause) {
    throw invalidBody(`The body is not valid ${charset === "utf-8" ? "UTF-8" : charset}.`, cause);
  }
}

/** The fields by name; a repeated one is an array. With `field`, the JSON in this field. */
function parseForm(
  bytes: Uint8Array,
  {
    format: { field, bigints },
    contentType,
  }: { format: Extract<BodyFormat, { type: "form" }>; contentType: string | undefined },
): ParsedJson {
  const fields = readForm(bytes, charsetOf(contentType) ?? undefined);
  if (field === null) return exactly(collectFields(fields));
  const text = jsonField(fields, field);
  try {
    return parseJsonBody(Buffer.from(text), { bigints });
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    const { code, message, errors } = cause;
    throw new AppError(code, `Field ${quoteName(field)} of the form: ${message}`, { errors, cause });
  }
}

function jsonField(fields: readonly (readonly [string, string])[], field: string): string {
  const [text, ...others] = fields.flatMap(([name, value]) => (name === field ? [value] : []));
  if (text === undefined) throw invalidBody(`The form has no field ${quoteName(field)}, which contains the JSON.`);
  if (others.length > 0) throw invalidBody(`The form has the field ${quoteName(field)} more than once.`);
  return text;
}

function collectFields(entries: readonly (readonly [string, Json])[]): Json {
  const byName = Map.groupBy(entries, ([name]) => name);
  return Object.fromEntries(
    [...byName].map(([name, found]) => {
      const values = found.map(([, value]) => value);
      return [name, values.length === 1 ? (values[0] ?? null) : values];
    }),
  );
}

function describeFields(fields: ReturnType<typeof readMultipart>, deliveryId: string): [string, Json][] {
  let files = 0;
  return fields.map(({ name, value }) => {
    if (typeof value === "string") return [name, value];
    const { filename, contentType, bytes } = value;
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const path = `/api/v1/deliveries/${deliveryId}/files/${files++}`;
    const reference: FileReference = { filename, contentType, size: bytes.length, sha256, path };
    return [name, reference];
  });
}

/** A file of a multipart form, by its number; `null` if there is none. Throws AppError `invalid_body`. */
export function readFile(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
  at: number,
): { filename: string; bytes: Buffer<ArrayBuffer> } | null {
  const values = readMultipart(bytes, contentType).map(({ value }) => value);
  return values.filter((value) => typeof value !== "string")[at] ?? null;
}
