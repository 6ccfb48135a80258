import { hash } from "node:crypto";
import type { Row } from "./row.ts";

/** Of a table's rows, in whatever order they come. */
export interface TableHash {
  rows: number;
  add(row: Row): void;
  /** 64 hexadecimal digits. */
  digest(): string;
}

/**
 * The SHA-256 of each row, added up lane by lane modulo 2^32: databases that sort differently come to the same sum, and
 * rows that are missing, double or different to another. It finds what went wrong, and is not made against somebody who
 * means harm.
 */
export function createTableHash(): TableHash {
  const sum = new Uint32Array(8);
  return {
    rows: 0,
    add(row) {
      // A body by its own hash, so that it is not written out once more.
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
