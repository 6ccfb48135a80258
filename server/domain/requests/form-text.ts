import { AppError } from "../../contract/app-error.ts";
import { isUtf8 } from "node:buffer";
import { shortPointer } from "../../shared/json/json-pointer.ts";
import { decodeText, findCharset } from "./charset.ts";

/** The texts of a form: each field in its charset, and an error with the field if it is not. */

export const invalidBody = (detail: string, cause?: unknown) => new AppError("invalid_body", detail, { cause });

/** The fault of one field: `is not valid UTF-8. …`. Only `errors` has its name: it can be data, which is masked there. */
export function invalidField(name: string, fault: string, cause?: unknown): AppError {
  return new AppError("invalid_body", `A field of the form ${fault}`, {
    errors: [{ pointer: shortPointer([name]), code: "invalid_field", message: `The field ${fault}` }],
    cause,
  });
}

/** The name of a field that the trigger requires, for a message. */
export function quoteName(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}

/** Throws what `fail` returns for bytes that are not in the charset: AppError `invalid_body`. */
export function decodePart(
  bytes: Uint8Array,
  charset: string,
  fail: (fault: string, cause: unknown) => AppError,
): string {
  try {
    return decodeText(bytes, charset, { isField: true });
  } catch (cause) {
    throw fail(
      charset === "utf-8"
        ? "is not valid UTF-8. Send UTF-8, or name the charset in Content-Type."
        : `is not valid ${charset}, the charset that the request names.`,
      cause,
    );
  }
}

/** The values of fields by which a form names its charset. */
interface CharsetFields {
  /** Of the Content-Type. */
  declared: string | undefined;
  /** The bytes of the first field with this name. */
  find(name: string): Uint8Array | undefined;
}

/**
 * The charset of each field of a form: that of the Content-Type, or of the field `_charset_` (HTML), or UTF-8. PayPal
 * sends it in the field `charset`, and SendGrid in `charsets`, as JSON by field. `charset` may have another meaning: it
 * counts only for bytes that are not UTF-8.
 */
export function createFieldCharsets({ declared, find }: CharsetFields): (name: string, bytes: Uint8Array) => string {
  const labelOf = (name: string) => {
    const bytes = find(name);
    return bytes && bytes.length <= maxLabelBytes ? Buffer.from(bytes).toString() : undefined;
  };
  const byField = readLabels(labelOf("charsets"));
  const general = declared ?? charsetIn(labelOf("_charset_"));
  const fallback = charsetIn(labelOf("charset"));
  return (name, bytes) => {
    const charset = charsetIn(byField.get(name)) ?? general;
    if (charset !== undefined) return charset;
    return fallback !== undefined && !isUtf8(bytes) ? fallback : "utf-8";
  };
}

const maxLabelBytes = 4096;

const charsetIn = (label: string | undefined) => (label ? findCharset(label) : null) ?? undefined;

/** `{"from":"UTF-8","text":"iso-8859-1"}` */
function readLabels(text: string | undefined): ReadonlyMap<string, string> {
  try {
    const labels: unknown = JSON.parse(text ?? "{}");
    const entries = typeof labels === "object" && labels !== null ? Object.entries(labels) : [];
    return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  } catch {
    return new Map();
  }
}

/**
 * The names and values of `application/x-www-form-urlencoded`, in order. A `%` without two digits is itself, as for
 * URLSearchParams. Throws AppError `invalid_body`, which names the field.
 */
export function readForm(body: Uint8Array, declared: string | undefined): [name: string, value: string][] {
  const pairs = Buffer.from(body.buffer, body.byteOffset, body.length)
    .toString("latin1")
    .replace(/^\xef\xbb\xbf/, "")
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const end = pair.indexOf("=");
      return end < 0 ? { name: pair, value: "" } : { name: pair.slice(0, end), value: pair.slice(end + 1) };
    });
  const find = (name: string) => {
    const found = pairs.find((pair) => unescapeBytes(pair.name).toString("latin1") === name);
    return found && unescapeBytes(found.value);
  };
  const charsetOf = createFieldCharsets({ declared, find });
  return pairs.map((pair, at) => {
    const name = decodeField(pair.name, {
      charsetOf: (bytes) => charsetOf("", bytes),
      fail: (fault, cause) => invalidBody(`The name of field ${at + 1} of the form ${fault}`, cause),
    });
    const value = decodeField(pair.value, {
      charsetOf: (bytes) => charsetOf(name, bytes),
      fail: (fault, cause) => invalidField(name, fault, cause),
    });
    return [name, value];
  });
}

function decodeField(
  escaped: string,
  p: { charsetOf: (bytes: Uint8Array) => string; fail: Parameters<typeof decodePart>[2] },
): string {
  // Most fields. In every charset of a form, these bytes are ASCII.
  if (/^[\x20-\x24\x26-\x2a\x2c-\x7e]*$/.test(escaped)) return escaped;
  const bytes = unescapeBytes(escaped);
  return decodePart(bytes, p.charsetOf(bytes), p.fail);
}

function unescapeBytes(escaped: string): Buffer {
  const text = escaped
    .replaceAll("+", " ")
    .replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  return Buffer.from(text, "latin1");
}
