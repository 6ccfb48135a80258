import { isUtf8 } from "node:buffer";
import { TextDecoder as CompleteDecoder, getBOMEncoding, normalizeEncoding } from "@exodus/bytes/encoding.js";
import { readParameters } from "./header-parameters.ts";
import { trimCharacters } from "../trim.ts";

/**
 * Text in the charsets of the web (https://encoding.spec.whatwg.org). The TextDecoder of Node lacks some of them, and
 * that of Node 22 reads windows-1252 as ISO 8859-1: it is used for UTF-8 only.
 */

const utf8 = new TextDecoder("utf-8", { fatal: true });
const utf8WithMark = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const asciiLabels = new Set(["us-ascii", "ascii", "ansi_x3.4-1968", "iso-ir-6", "iso646-us"]);

/**
 * The name of the charset with this label, in any case and with or without quotes. No label is UTF-8. `null`: it is not
 * a charset of the web.
 */
export function findCharset(label: string): string | null {
  const name = trimCharacters(label, " \t\r\n\"'").toLowerCase();
  if (name === "") return "utf-8";
  if (asciiLabels.has(name)) return "us-ascii";
  const charset = normalizeEncoding(name);
  return charset === "replacement" ? null : charset;
}

/** The charset that a Content-Type names. Default: none. `null`: it names an unknown one. */
export function charsetOf(contentType: string | undefined): string | null | undefined {
  const label = contentType?.includes(";") ? readParameters(contentType).parameters.get("charset") : undefined;
  return label === undefined ? undefined : findCharset(label);
}

/**
 * The text of bytes in a charset of `findCharset`. A byte order mark is removed, unless `isField`: there, it is a part
 * of the value. Senders declare US-ASCII for UTF-8, too: only bytes that are not UTF-8 are windows-1252. Throws
 * TypeError for bytes that are not in this charset.
 */
export function decodeText(bytes: Uint8Array, charset: string, { isField = false } = {}): string {
  if (charset === "utf-8") return (isField ? utf8WithMark : utf8).decode(bytes);
  if (charset === "us-ascii") return decodeText(bytes, isUtf8(bytes) ? "utf-8" : "windows-1252", { isField });
  // A byte order mark decides between the two.
  const mark = charset.startsWith("utf-16") ? getBOMEncoding(bytes) : null;
  return new CompleteDecoder(mark?.startsWith("utf-16") ? mark : charset, { fatal: true }).decode(bytes);
}
