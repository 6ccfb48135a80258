import { createHash } from "node:crypto";
import { AppError } from "../../contract/app-error.ts";
import type { Delivery } from "../../contract/delivery.ts";
import type { Json } from "../../contract/json.ts";
import type { BodyFormat } from "../../contract/project/endpoint.ts";
import { sentTypes } from "../schema/encode-body.ts";
import type { ParsedJson } from "../json/parse-exactly.ts";
import { decodeUtf8, parseJsonBody } from "./request-body.ts";

/** How the body of a request is read: the formats that an endpoint accepts, and the value that its triggers evaluate. */

/** Default of an endpoint. */
export const onlyJson: readonly BodyFormat[] = [{ type: "json", bigints: "number" }];

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
  const what = format.type === "json" ? "JSON" : "the body";
  for (const [, name = "", value = ""] of (headers.contentType ?? "").matchAll(parameter)) {
    const isOther = name.toLowerCase() === "charset" && !/^"?utf-?8"?$/i.test(value);
    if (isOther) return unsupported(`The charset is not UTF-8. Send ${what} in UTF-8.`);
  }
  const encodings = headers.contentEncoding?.split(",") ?? [];
  return encodings.every((encoding) => ["identity", ""].includes(encoding.trim().toLowerCase()))
    ? format
    : unsupported("The body is compressed. Send it without Content-Encoding.");
}

/** The types to send, for the header `Accept` of a response. */
export function acceptedTypes(formats: readonly BodyFormat[]): string {
  return [...new Set(formats.map(({ type }) => sentTypes[type]))].join(", ");
}

const token = "[!#$%&'*+.^_`|~0-9a-z-]+";
const parameter = new RegExp(`;\\s*(${token})\\s*=\\s*("(?:[^"\\\\]|\\\\.)*"|[^\\s;]*)`, "gi");

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
 * The value of a body. Returns a promise only for multipart forms. Throws AppError `invalid_json` or `invalid_body`,
 * which never contains a part of the body.
 */
export function parseBody(
  bytes: Uint8Array<ArrayBuffer>,
  { format, contentType, deliveryId }: { format: BodyFormat; contentType: string | undefined; deliveryId: string },
): ParsedJson | Promise<ParsedJson> {
  switch (format.type) {
    case "json":
      return parseJsonBody(bytes, format);
    case "form":
      return parseForm(bytes, format);
    case "multipart":
      return parseMultipart(bytes, contentType ?? "", deliveryId).then(exactly);
    case "text":
      return exactly(decodeUtf8(bytes, invalidUtf8));
    case "bytes":
      return exactly(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64"));
  }
}

/** The value of a recorded body in one of the formats. */
interface RecordedBody extends ParsedJson {
  format: BodyFormat;
  /** The value as JSON, in the sender's notation if the sender wrote JSON. */
  text: string;
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
  const bytes = Buffer.from(body, "base64");
  const header = (name: string) => (Object.hasOwn(headers, name) ? headers[name] : undefined);
  const contentType = header("content-type");
  const chosen = chooseFormat(formats, { contentType, contentEncoding: header("content-encoding") });
  // Some senders send JSON as another type.
  const format = chosen instanceof AppError ? formats.find(({ type }) => type === "json") : chosen;
  if (!format) return null;
  try {
    const parsed = await parseBody(bytes, { format, contentType, deliveryId: id });
    return { ...parsed, format, text: textOf(bytes, format) ?? JSON.stringify(parsed.json) };
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** The JSON that the sender wrote. `null`: the body is in another format. */
function textOf(bytes: Uint8Array, format: BodyFormat): string | null {
  if (format.type === "json") return decodeUtf8(bytes, invalidUtf8);
  if (format.type !== "form" || format.field === null) return null;
  return new URLSearchParams(decodeUtf8(bytes, invalidUtf8)).get(format.field);
}

const exactly = (json: Json): ParsedJson => ({ json, rounded: [] });

function invalidUtf8(cause: unknown): AppError {
  return new AppError("invalid_body", "The body is not valid UTF-8.", { cause });
}

/** The fields by name; a repeated one is an array. With `field`, the JSON in this field. */
function parseForm(bytes: Uint8Array, { field, bigints }: Extract<BodyFormat, { type: "form" }>): ParsedJson {
  const fields = new URLSearchParams(decodeUtf8(bytes, invalidUtf8));
  if (field === null) return exactly(collectFields([...fields]));
  const [text, ...others] = fields.getAll(field);
  if (text === undefined)
    throw new AppError("invalid_body", `The form has no field ${JSON.stringify(field)}, which contains the JSON.`);
  if (others.length > 0)
    throw new AppError("invalid_body", `The form has the field ${JSON.stringify(field)} more than once.`);
  try {
    return parseJsonBody(Buffer.from(text), { bigints });
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    throw new AppError(cause.code, `Field ${JSON.stringify(field)} of the form: ${cause.message}`, { cause });
  }
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

async function parseMultipart(bytes: Uint8Array<ArrayBuffer>, contentType: string, deliveryId: string): Promise<Json> {
  const fields = await readParts(bytes, contentType);
  let files = 0;
  const entries = fields.map(async ([name, value]): Promise<[string, Json]> => {
    if (typeof value === "string") return [name, value];
    const at = files++;
    return [name, await describeFile(value, `/api/v1/deliveries/${deliveryId}/files/${at}`)];
  });
  return collectFields(await Promise.all(entries));
}

async function describeFile(file: File, path: string): Promise<FileReference> {
  const sha256 = createHash("sha256")
    .update(await file.bytes())
    .digest("hex");
  return { filename: file.name, contentType: file.type, size: file.size, sha256, path };
}

/** A file of a multipart form, by its number; `null` if there is none. Throws AppError `invalid_body`. */
export async function readFile(bytes: Uint8Array<ArrayBuffer>, contentType: string, at: number): Promise<File | null> {
  const parts = await readParts(bytes, contentType);
  return parts.flatMap(([, value]) => (typeof value === "string" ? [] : [value]))[at] ?? null;
}

async function readParts(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<[string, string | File][]> {
  try {
    const form = await new Response(bytes, { headers: { "content-type": contentType } }).formData();
    return [...form];
  } catch (cause) {
    throw new AppError(
      "invalid_body",
      "The body is not a valid multipart form (RFC 7578). Check the boundary in Content-Type and the line breaks, which are CR LF.",
      { cause },
    );
  }
}
