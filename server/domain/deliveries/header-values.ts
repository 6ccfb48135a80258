import { isUtf8 } from "node:buffer";
import { ownHeaders } from "../../contract/own-headers.ts";
import { z } from "zod";
import { redacted, redactHeaders } from "../privacy/redaction.ts";
import { isSecretHeader } from "../privacy/secret-names.ts";

/** The headers of a delivery as the project's code reads them. */

/** As recorded: by lower-case name, without credentials. Values of a repeated header are joined by a comma. */
export type RecordedHeaders = Readonly<Record<string, string>>;

/** The values of a part of a request by name. One that the schema takes as an array has all its values. */
export type FieldValues = Record<string, string | string[]>;

/** The first value of each header. The same object if none was repeated, which is almost always. */
export function firstValues(headers: RecordedHeaders): RecordedHeaders {
  const repeated = readRepeated(headers);
  return repeated ? { ...headers, ...mapValues(repeated, ([first = ""]) => first) } : headers;
}

/** The headers for a schema that takes those in `lists` as arrays. Others have their first value. */
export function headersFor(headers: RecordedHeaders, lists: readonly string[]): FieldValues {
  if (lists.length === 0) return firstValues(headers);
  const repeated = readRepeated(headers) ?? {};
  const arrays = lists.flatMap((name): [string, string[]][] => {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    return value === undefined ? [] : [[name, repeated[name] ?? [value]]];
  });
  return { ...firstValues(headers), ...Object.fromEntries(arrays) };
}

/**
 * The headers for a transform: without credentials, signatures and the headers of the service itself. `proofHeaders`:
 * those in which the endpoint's verification reads the signature.
 */
export function safeHeaders(headers: RecordedHeaders, proofHeaders: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    Object.entries(firstValues(headers)).filter(
      ([name, value]) =>
        !ownNames.has(name) && !isSecretHeader(name) && !proofHeaders.includes(name) && !value.includes(redacted),
    ),
  );
}

/** Headers of a test by name, in any case; a repeated header has several values. */
export type GivenHeaders = Readonly<Record<string, string | string[]>>;

/** The headers of a request by name, with the values of repeated ones joined. */
export interface ReceivedHeaders {
  headers: ReadonlyMap<string, string>;
  /** All values of the headers that were repeated; `null`: none was. */
  repeated: ReadonlyMap<string, readonly string[]> | null;
}

/** The headers to store: without credentials, and without the names that the service itself writes. */
export function recordHeaders(
  { headers, repeated }: ReceivedHeaders,
  secrets: readonly string[],
): Record<string, string> {
  const recorded = redactHeaders(withoutOwn(headers), secrets);
  for (const [name, value] of Object.entries(recorded)) if (nonAscii.test(value)) recorded[name] = fromWire(value);
  if (!repeated) return recorded;
  const values = [...withoutOwn(repeated)].filter(([name]) => recorded[name] !== redacted);
  const kept = values.map(([name, each]): [string, string[]] => [
    name,
    each.map((value) => fromWire(redactHeaders(new Map([[name, value]]), secrets)[name] ?? "")),
  ]);
  if (kept.length === 0) return recorded;
  // Each value has an encoding of its own.
  for (const [name, each] of kept) if (nonAscii.test(recorded[name] ?? "")) recorded[name] = each.join(", ");
  return { ...recorded, [ownHeaders.repeated]: JSON.stringify(Object.fromEntries(kept)) };
}

const nonAscii = /[^\x20-\x7e]/;

/**
 * The text of a header as HTTP libraries have it: each character is a byte. The bytes are UTF-8 or, if they are not
 * valid, ISO 8859-1.
 */
export function fromWire(value: string): string {
  if (!nonAscii.test(value) || /[\u0100-\uffff]/.test(value)) return value;
  const bytes = Buffer.from(value, "latin1");
  return isUtf8(bytes) ? bytes.toString() : value;
}

/** The reverse: a header that a person wrote, as UTF-8. `fetch` and `node:http` accept it. */
export function toWire(value: string): string {
  return nonAscii.test(value) ? Buffer.from(value).toString("latin1") : value;
}

/** Headers that a person wrote for a test, or those of a delivery, as recorded headers. */
export function recordGivenHeaders(given: GivenHeaders): RecordedHeaders {
  const entries = Object.entries(given).map(([name, value]): [string, string[]] => [
    name.toLowerCase(),
    [value].flat(),
  ]);
  const repeated = entries.filter(([, values]) => values.length > 1);
  return {
    ...Object.fromEntries(entries.map(([name, values]) => [name, values.join(", ")])),
    ...(repeated.length > 0 && { [ownHeaders.repeated]: JSON.stringify(Object.fromEntries(repeated)) }),
  };
}

const ownNames = new Set<string>(Object.values(ownHeaders));

function withoutOwn<Value>(headers: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
  return [...ownNames].some((name) => headers.has(name))
    ? new Map([...headers].filter(([name]) => !ownNames.has(name)))
    : headers;
}

const repeatedSchema = z.record(z.string(), z.array(z.string()));

function readRepeated(headers: RecordedHeaders): Record<string, string[]> | null {
  const text = headers[ownHeaders.repeated];
  if (text === undefined) return null;
  try {
    return repeatedSchema.parse(JSON.parse(text));
  } catch {
    // An old delivery, whose sender used this name.
    return null;
  }
}

function mapValues<From, To>(record: Record<string, From>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
