import { randomFillSync } from "node:crypto";

export type IdPrefix = "run" | "dlv" | "key" | "wrk" | "pre" | "per" | "acc" | "inv" | "aud" | "req";

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
