import { toPostgresText } from "./text-encoding.ts";

/** The types of arrays that statements take, with their numbers in Postgres (`pg_type.oid` of an element). */
const elementTypes = {
  text: 25,
  bigint: 20,
  integer: 23,
  boolean: 16,
  "double precision": 701,
  bytea: 17,
} as const;

export type ElementType = keyof typeof elementTypes;

const headerBytes = 20;
const lengthBytes = 4;
const nullLength = -1;
const firstIndex = 1;
const fixedBytes: Partial<Record<ElementType, number>> = { bigint: 8, integer: 4, boolean: 1, "double precision": 8 };

/**
 * An array in the binary format of Postgres, in which a statement takes many rows. As text, quotes would be escaped
 * here and read one by one there: both cost more than the insert.
 */
export function toArrayParameter(type: ElementType, values: readonly unknown[]): Buffer {
  const elements = values.map((value) => toElement(type, value));
  const fixed = fixedBytes[type];
  let bytes = headerBytes;
  let hasNull = false;
  for (const element of elements) {
    bytes += lengthBytes + (element === null ? 0 : (fixed ?? byteLengthOf(element)));
    hasNull ||= element === null;
  }
  const buffer = Buffer.allocUnsafe(bytes);
  buffer.writeInt32BE(1, 0); // dimensions
  buffer.writeInt32BE(hasNull ? 1 : 0, 4);
  buffer.writeInt32BE(elementTypes[type], 8);
  buffer.writeInt32BE(elements.length, 12);
  buffer.writeInt32BE(firstIndex, 16);
  let at = headerBytes;
  for (const element of elements) {
    const start = at + lengthBytes;
    const length = element === null ? 0 : write(buffer, type, { element, at: start });
    buffer.writeInt32BE(element === null ? nullLength : length, at);
    at = start + length;
  }
  return buffer;
}

type Element = string | number | boolean | Uint8Array;

function toElement(type: ElementType, value: unknown): Element | null {
  if (value === null || value === undefined) return null;
  if (type === "text" && typeof value === "string") return toPostgresText(value);
  if ((type === "bigint" || type === "integer") && Number.isSafeInteger(value)) return Number(value);
  if (type === "double precision" && typeof value === "number") return value;
  if (type === "boolean" && typeof value === "boolean") return value;
  if (type === "bytea" && value instanceof Uint8Array) return value;
  throw new TypeError(`A value of ${type} was expected instead of ${typeof value}`);
}

function byteLengthOf(element: Element): number {
  if (typeof element === "string") return Buffer.byteLength(element);
  return element instanceof Uint8Array ? element.length : 0;
}

/** Returns the number of bytes. */
function write(buffer: Buffer, type: ElementType, { element, at }: { element: Element; at: number }): number {
  if (typeof element === "string") return buffer.write(element, at);
  if (element instanceof Uint8Array) {
    buffer.set(element, at);
    return element.length;
  }
  if (typeof element === "boolean") return buffer.writeUInt8(element ? 1 : 0, at) - at;
  if (type === "integer") return buffer.writeInt32BE(element, at) - at;
  if (type === "double precision") return buffer.writeDoubleBE(element, at) - at;
  buffer.writeInt32BE(Math.floor(element / 2 ** 32), at);
  return buffer.writeUInt32BE(element >>> 0, at + 4) - at;
}
