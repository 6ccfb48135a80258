import { createHash } from "node:crypto";

const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const ulid = /_([0-7][0-9A-HJKMNP-TV-Z]{25})$/;

/**
 * The id of a run's job: the same 128 bits, as a UUID. So a job is found without an index of its own, and ids ascend,
 * which keeps inserts at one end of the index.
 */
export function toJobId(runId: string): string {
  const digitsOfId = ulid.exec(runId)?.[1];
  if (digitsOfId === undefined) return toUuid(createHash("sha256").update(runId).digest("hex").slice(0, 32));
  let bits = 0n;
  for (const digit of digitsOfId) bits = bits * 32n + BigInt(digits.indexOf(digit));
  return toUuid(bits.toString(16).padStart(32, "0"));
}

function toUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
