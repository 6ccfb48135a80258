import type { ColumnType } from "./copy-plan.ts";
import type { Value } from "./row.ts";

const header = Buffer.from("PGCOPY\n\u00ff\r\n\0\0\0\0\0\0\0\0\0", "latin1");

/**
 * Encodes rows in the binary format of Postgres's COPY: a number of fields, then each field with its length, in network
 * order. Strings must be valid in Postgres.
 */
export function encodeRows(rows: Iterable<readonly Value[]>, types: readonly ColumnType[]): Buffer {
  const out = createBytes();
  out.bytes(header);
  for (const row of rows) {
    out.int16(types.length);
    for (const [at, type] of types.entries()) writeField(out, row[at] ?? null, type);
  }
  out.int16(-1);
  return out.all();
}

function writeField(out: Bytes, value: Value, type: ColumnType): void {
  if (value === null) return out.int32(-1);
  if (type === "text") return out.text(String(value));
  if (type === "bytea") {
    if (!(value instanceof Uint8Array)) throw new TypeError("A bytea column has a value of another type.");
    out.int32(value.length);
    return out.bytes(value);
  }
  if (type === "bool") {
    out.int32(1);
    return out.int8(value ? 1 : 0);
  }
  const number = Number(value);
  if (type === "int4") {
    out.int32(4);
    out.int32(number);
  } else {
    out.int32(8);
    if (type === "int8") out.int64(number);
    else out.float64(number);
  }
}

type Bytes = ReturnType<typeof createBytes>;

/** A growing buffer. */
function createBytes() {
  let buffer = Buffer.allocUnsafe(64 * 1024);
  let end = 0;
  function write(bytes: number, put: (at: number) => void): void {
    if (end + bytes > buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, end + bytes));
      buffer.copy(larger, 0, 0, end);
      buffer = larger;
    }
    put(end);
    end += bytes;
  }
  return {
    int8: (value: number) => write(1, (at) => buffer.writeInt8(value, at)),
    int16: (value: number) => write(2, (at) => buffer.writeInt16BE(value, at)),
    int32: (value: number) => write(4, (at) => buffer.writeInt32BE(value, at)),
    int64: (value: number) => write(8, (at) => buffer.writeBigInt64BE(BigInt(value), at)),
    float64: (value: number) => write(8, (at) => buffer.writeDoubleBE(value, at)),
    bytes: (value: Uint8Array) => write(value.length, (at) => buffer.set(value, at)),
    text(value: string): void {
      const length = Buffer.byteLength(value);
      write(4 + length, (at) => {
        buffer.writeInt32BE(length, at);
        buffer.write(value, at + 4);
      });
    },
    all: () => buffer.subarray(0, end),
  };
}
