import { AppError } from "../../contract/app-error.ts";
import { charsetOf, findCharset } from "./charset.ts";
import { createFieldCharsets, decodePart, invalidBody, invalidField } from "./form-text.ts";
import { readParameters } from "./header-parameters.ts";

/**
 * Multipart forms (RFC 7578), also as old and unusual senders write them. No package reads all of them, see
 * docs/decisions/0030-multipart-forms.md.
 */

export interface FormField {
  name: string;
  value: string | FormFile;
}

interface FormFile {
  filename: string;
  /** As sent. Default: `text/plain`. */
  contentType: string;
  bytes: Buffer<ArrayBuffer>;
}

/**
 * The fields in order. Those of a nested `multipart/mixed` have its name. Throws AppError `invalid_body`, which names
 * the field.
 */
export function readMultipart(body: Uint8Array<ArrayBuffer>, contentType: string): FormField[] {
  const boundary = readParameters(contentType).parameters.get("boundary");
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const parts = splitParts(bytes, { boundary, depth: 0 });
  const charsetOfField = createFieldCharsets({
    declared: charsetOf(contentType) ?? undefined,
    find: (name) => parts.find((part) => part.disposition.parameters.get("name") === name)?.content,
  });
  return parts.flatMap((part) => readPart(part, { charsetOfField, outer: null, depth: 0 }));
}

/** The fields without the files; none if the body is no multipart form. */
export function readMultipartTexts(body: Uint8Array, contentType: string | null): [name: string, value: string][] {
  if (!/^\s*multipart\/form-data\s*(?:;|$)/i.test(contentType ?? "")) return [];
  try {
    return readMultipart(new Uint8Array(body), contentType ?? "").flatMap(({ name, value }): [string, string][] =>
      typeof value === "string" ? [[name, value]] : [],
    );
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}

/** A part before its texts are decoded. In its headers, each character is a byte. */
interface RawPart {
  /** For messages, e.g. `Part 1`. */
  title: string;
  header(name: string): string | undefined;
  disposition: ReturnType<typeof readParameters>;
  content: Buffer<ArrayBuffer>;
}

const maxHeadBytes = 16 * 1024;
const maxDepth = 4;
/** RFC 2046 allows 70. */
const maxBoundary = 100;
const lineEnd = Buffer.from("\r\n");
const headEnd = Buffer.from("\r\n\r\n");

function splitParts(
  bytes: Buffer<ArrayBuffer>,
  { boundary, depth }: { boundary: string | undefined; depth: number },
): RawPart[] {
  if (!boundary || boundary.length > maxBoundary) throw malformed("The Content-Type has no usable boundary.");
  if (depth > maxDepth) throw malformed(`Its parts are nested deeper than ${maxDepth} levels.`);
  const find = createDelimiterFinder(bytes, boundary);
  const parts: RawPart[] = [];
  // What comes before the first delimiter and after the last one is no part.
  for (let delimiter = find(0); ;) {
    if (!delimiter) throw malformed("Its last boundary is missing, so it is cut off, or it has another boundary.");
    if (delimiter.isLast) return parts;
    const title = `Part ${parts.length + 1}`;
    // The line break before the headers, which ends an empty head.
    const start = delimiter.end - lineEnd.length;
    const end = bytes.indexOf(headEnd, start);
    const next = find(delimiter.end);
    if (end < 0 || (next && next.start < end)) throw malformed(`${title} has no blank line after its headers.`);
    if (end - start > maxHeadBytes) throw malformed(`The headers of part ${parts.length + 1} are longer than 16 KiB.`);
    const headers = readHead(bytes.toString("latin1", start, end), title);
    const header = (name: string) => headers.get(name);
    const content = bytes.subarray(end + headEnd.length, Math.max(end + headEnd.length, next?.start ?? bytes.length));
    parts.push({ title, header, disposition: readParameters(header("content-disposition") ?? ""), content });
    delimiter = next;
  }
}

interface Delimiter {
  /** Of its line break. */
  start: number;
  /** After its line break. */
  end: number;
  isLast: boolean;
}

/**
 * A delimiter is a whole line: the boundary, and spaces or tabs. Any other text that begins like one belongs to a
 * value.
 */
function createDelimiterFinder(bytes: Buffer, boundary: string): (from: number) => Delimiter | null {
  const mark = Buffer.from(`--${boundary}`, "latin1");
  return (from) => {
    for (let at = bytes.indexOf(mark, from); at >= 0; at = bytes.indexOf(mark, at + 1)) {
      const isLineStart = at === 0 || (at >= 2 && bytes[at - 2] === 0x0d && bytes[at - 1] === 0x0a);
      if (!isLineStart) continue;
      let end = at + mark.length;
      const isLast = bytes[end] === 0x2d && bytes[end + 1] === 0x2d;
      if (isLast) end += 2;
      while (bytes[end] === 0x20 || bytes[end] === 0x09) end++;
      const isLineEnd = bytes[end] === 0x0d && bytes[end + 1] === 0x0a;
      if (isLineEnd || (isLast && end === bytes.length))
        return { start: Math.max(at - lineEnd.length, 0), end: end + lineEnd.length, isLast };
    }
    return null;
  };
}

/** By lower-case name. Of a repeated header, the first one counts. A line that begins with a space continues a header. */
function readHead(head: string, title: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n")) {
    if (line === "") continue;
    const [, name, value = ""] = /^([^\s:]+)[ \t]*:(.*)$/.exec(line) ?? [];
    if (name === undefined) throw malformed(`${title} has a header without a colon.`);
    if (!headers.has(name.toLowerCase())) headers.set(name.toLowerCase(), value.trim());
  }
  return headers;
}

interface PartContext {
  charsetOfField: (name: string, bytes: Uint8Array) => string;
  /** The name of the part that contains it. */
  outer: string | null;
  depth: number;
}

function readPart(part: RawPart, context: PartContext): FormField[] {
  const { disposition, title } = part;
  if (disposition.isMalformed) throw malformed(`The Content-Disposition of ${title.toLowerCase()} is malformed.`);
  const name = readText(part, "name", context) ?? context.outer;
  if (name === null) throw malformed(`${title} has no name in its Content-Disposition.`);
  const filename = readText(part, "filename", context);
  const contentType = part.header("content-type") ?? "text/plain";
  const { value: type, parameters } = readParameters(contentType);
  const fail = (fault: string, cause?: unknown) => invalidField(name, fault, cause);
  if (filename === null && type === "multipart/mixed") {
    const depth = context.depth + 1;
    const parts = splitParts(part.content, { boundary: parameters.get("boundary"), depth });
    return parts.flatMap((inner) => readPart(inner, { ...context, outer: name, depth }));
  }
  const bytes = decodeTransfer(part, fail);
  if (filename !== null) return [{ name, value: { filename, contentType, bytes } }];
  const charset = charsetOf(contentType);
  if (charset === null) throw fail("has a charset that is unknown. Send it in UTF-8.");
  return [{ name, value: decodePart(bytes, charset ?? context.charsetOfField(name, bytes), fail) }];
}

/**
 * A parameter of Content-Disposition: `filename*=UTF-8''%e2%82%ac.txt` (RFC 8187), `filename*0="a"; filename*1="b"`
 * (RFC 2231), or `filename="a%22b"`, whose escapes are those of browsers. `null`: it is missing.
 */
function readText(
  { disposition: { parameters }, title }: RawPart,
  name: "name" | "filename",
  { charsetOfField }: PartContext,
): string | null {
  const what = `The ${name === "name" ? "name" : "file name"} of ${title.toLowerCase()} of the form`;
  const fail = (fault: string, cause?: unknown) => invalidBody(`${what} ${fault}`, cause);
  const extended = parameters.get(`${name}*`) ?? joinSections(parameters, name);
  const [, label, escaped] = /^([^']*)'[^']*'([^]*)$/.exec(extended ?? "") ?? [];
  if (label !== undefined && escaped !== undefined) {
    const charset = findCharset(label);
    if (charset === null) throw fail("has a charset that is unknown. Send it in UTF-8.");
    const text = escaped.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    return decodePart(Buffer.from(text, "latin1"), charset, fail);
  }
  const plain = parameters.get(name) ?? extended;
  if (plain === undefined) return null;
  const bytes = Buffer.from(plain, "latin1");
  return decodePart(bytes, charsetOfField("", bytes), fail).replaceAll(/%(22|0d|0a)/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Sections `name*0`, `name*1*`, … A `*` at the end marks escapes; then the first section has the charset. */
function joinSections(parameters: ReadonlyMap<string, string>, name: string): string | undefined {
  const sections: string[] = [];
  for (let at = 0; at < 1000; at++) {
    const section = parameters.get(`${name}*${at}*`) ?? parameters.get(`${name}*${at}`)?.replaceAll("%", "%25");
    if (section === undefined) break;
    sections.push(section);
  }
  if (sections.length === 0) return undefined;
  const text = sections.join("");
  return parameters.has(`${name}*0*`) ? text : `''${text}`;
}

/** The bytes without the Content-Transfer-Encoding, whose name is in any case. */
function decodeTransfer({ header, content }: RawPart, fail: (fault: string) => AppError): Buffer<ArrayBuffer> {
  const encoding = header("content-transfer-encoding")?.toLowerCase() ?? "";
  switch (encoding) {
    case "":
    case "7bit":
    case "8bit":
    case "binary":
      return content;
    case "base64": {
      const text = content.toString("latin1").replaceAll(/[ \t\r\n]/g, "");
      if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.replaceAll("=", "").length % 4 === 1)
        throw fail("is not valid base64, its Content-Transfer-Encoding.");
      return Buffer.from(text, "base64");
    }
    case "quoted-printable": {
      const lines = content.toString("latin1").split("\r\n");
      const text = lines
        .map(trimBlanks)
        .join("\r\n")
        .replaceAll(/=\r?\n/g, "");
      if (/=(?![0-9A-Fa-f]{2})/.test(text)) throw fail("is not valid quoted-printable, its Content-Transfer-Encoding.");
      const plain = text.replaceAll(/=([0-9A-Fa-f]{2})/g, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      );
      return Buffer.from(plain, "latin1");
    }
    default:
      throw fail("has an unknown Content-Transfer-Encoding. Send it as binary, base64 or quoted-printable.");
  }
}

/** Without the spaces and tabs at the end. A regular expression would take quadratic time. */
function trimBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === " " || line[end - 1] === "\t")) end--;
  return line.slice(0, end);
}

function malformed(detail: string) {
  return invalidBody(`The body is not a valid multipart form (RFC 7578). ${detail} Line breaks are CR LF.`);
}
