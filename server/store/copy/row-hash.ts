import { hash } from "node:crypto";
import type { Row } from "./row.ts";

/** The hash of a table's rows, in any order. */
export interface TableHash {
  rows: number;
  add(row: Row): void;
  /** 64 hexadecimal digits. */
  digest(): string;
}

/**
 * Adds up the SHA-256 of each row, lane by lane modulo 2^32. Databases with different sort orders get the same sum;
 * missing, duplicate or different rows change it. It detects errors, not deliberate manipulation.
 */
export function createTableHash(): TableHash {
  const sum = new Uint32Array(8);
  return {
    rows: 0,
    add(row) {
      // A body is replaced by its hash, which avoids one more copy of it.
      const text = JSON.stringify(
        row.map((value) => (value instanceof Uint8Array ? { sha256: hash("sha256", value) } : value)),
      );
      const digest = hash("sha256", text, "buffer");
      for (let lane = 0; lane < sum.length; lane += 1) sum[lane] = (sum[lane] ?? 0) + digest.readUInt32BE(lane * 4);
      this.rows += 1;
    },
    digest: () => [...sum].map((lane) => lane.toString(16).padStart(8, "0")).join(""),
  };
}
