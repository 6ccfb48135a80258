import { randomFillSync } from "node:crypto";

export type IdPrefix = "run" | "dlv" | "key" | "wrk" | "pre" | "per" | "acc" | "inv" | "aud" | "req" | "alt" | "msg";

/** Crockford's base 32. */
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** Ten bits each. */
const pairs = Array.from({ length: 1024 }, (_, bits) => `${digits[bits >> 5]}${digits[bits & 31]}`);
const endOfCount = 2 ** 20;

const random = new Uint32Array(1024);
let taken = random.length;

/** Twenty random bits. They are generated in batches: one system call costs more than an id. */
function randomBits(): number {
  if (taken === random.length) {
    randomFillSync(random);
    taken = 0;
  }
  return (random[taken++] ?? 0) >>> 12;
}

let time = -1;
/** The time and the first 60 random bits: the same for all ids of a millisecond. */
let begin = "";
/** The last 20 random bits, counted up. */
let count = 0;

/**
 * A new id, e.g. `run_01K9ZR7M3Q…`. It is a ULID: 48 bits of milliseconds and 80 random bits. Ids of one process
 * ascend, also within a millisecond and when the clock is set back.
 */
export function newId(prefix: IdPrefix, now = Date.now()): string {
  count += 1;
  if (now > time || count === endOfCount) {
    time = Math.max(now, time + 1);
    begin = encodeTime(time) + encode(randomBits()) + encode(randomBits()) + encode(randomBits());
    count = randomBits();
  }
  return `${prefix}_${begin}${encode(count)}`;
}

/** Fifty bits, of which a time has 48. */
function encodeTime(ms: number): string {
  const high = Math.floor(ms / 2 ** 20);
  return (pairs[Math.floor(high / 2 ** 20)] ?? "") + encode(high % 2 ** 20) + encode(ms % 2 ** 20);
}

/** Twenty bits. */
function encode(bits: number): string {
  return (pairs[bits >>> 10] ?? "") + (pairs[bits & 1023] ?? "");
}

// ---- ids, hashes and tokens as rows of the store have them ----

/** Bytes if the text has the usual form, otherwise the text. */
export type Packed = Uint8Array | string;

/** A form of text that rows store as bytes. The bytes sort like the text. */
export interface PackedText {
  pack(text: string): Packed;
  unpack(stored: Packed): string;
}

// ---- ids: a prefix and a ULID, 26 digits of Crockford's base 32, of which the first has three bits ----

const ulidLength = 26;
const ulidBytes = 16;
const valueOf = new Int8Array(128).fill(-1);
for (const [value, digit] of [...digits].entries()) valueOf[digit.charCodeAt(0)] = value;

const packedIds = new Map<IdPrefix, PackedText>();

export function packedId(prefix: IdPrefix): PackedText {
  const known = packedIds.get(prefix) ?? createPackedId(`${prefix}_`);
  packedIds.set(prefix, known);
  return known;
}

function createPackedId(start: string): PackedText {
  return {
    pack: (id) =>
      id.length === start.length + ulidLength && id.startsWith(start) ? (packUlid(id, start.length) ?? id) : id,
    unpack: (stored) => (typeof stored === "string" ? stored : start + unpackUlid(stored)),
  };
}

function packUlid(id: string, from: number): Uint8Array | null {
  if (id.charCodeAt(from) > "7".charCodeAt(0)) return null;
  const bytes = Buffer.allocUnsafe(ulidBytes);
  let [bits, count, at] = [0, -2, 0];
  for (let index = from; index < id.length; index += 1) {
    const value = valueOf[id.charCodeAt(index)] ?? -1;
    if (value < 0) return null;
    bits = ((bits << 5) | value) & 0xfff;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes[at] = bits >> count;
    at += 1;
  }
  return bytes;
}

function unpackUlid(bytes: Uint8Array): string {
  let ulid = "";
  let [bits, count] = [0, 2];
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff;
    count += 8;
    while (count >= 5) {
      count -= 5;
      ulid += digits[(bits >> count) & 31];
    }
  }
  return ulid;
}

/** The first and the last packed id with this beginning of a ULID; `null` if no ULID can begin with it. */
export function packedRange(beginning: string): { first: Uint8Array; last: Uint8Array } | null {
  if (beginning.length > ulidLength) return null;
  const first = packUlid(beginning.padEnd(ulidLength, "0"), 0);
  const last = packUlid(beginning.padEnd(ulidLength, "Z"), 0) ?? packUlid(`7${"Z".repeat(ulidLength - 1)}`, 0);
  return first && last && { first, last };
}

// ---- hexadecimal hashes and tokens ----

export const packedHex: PackedText = {
  pack: (text) => (/^(?:[0-9a-f]{2})+$/.test(text) ? Buffer.from(text, "hex") : text),
  unpack: (stored) => (typeof stored === "string" ? stored : toHex(stored)),
};

const uuidLength = 36;
const hyphens = new Set([8, 13, 18, 23]);

export const packedUuid: PackedText = {
  pack: (text) => (text.length === uuidLength ? (packUuid(text) ?? text) : text),
  unpack(stored) {
    if (typeof stored === "string") return stored;
    const text = toHex(stored);
    return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
  },
};

function packUuid(text: string): Uint8Array | null {
  const bytes = Buffer.allocUnsafe(16);
  let digits = 0;
  for (let at = 0; at < uuidLength; at += 1) {
    const code = text.charCodeAt(at);
    if (hyphens.has(at)) {
      if (code !== 45) return null;
      continue;
    }
    const value = code >= 48 && code <= 57 ? code - 48 : code >= 97 && code <= 102 ? code - 87 : -1;
    if (value < 0) return null;
    const index = digits >> 1;
    bytes[index] = digits % 2 === 0 ? value << 4 : (bytes[index] ?? 0) | value;
    digits += 1;
  }
  return bytes;
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}
