import { createHash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { CommonVerdicts } from "../../domain/deliveries/verdict-list.ts";
import { decidedLines } from "./decided-lines.ts";

/**
 * A list of verdicts as it is kept: what names it, what is looked for in it, and, if it is not there yet, the whole,
 * compressed.
 */
export interface PackedVerdicts {
  /** SHA-256 of the verdicts as JSON, hex. */
  hash: string;
  decided: string;
  /** JSON, raw deflate (RFC 1951). */
  verdicts: () => Buffer;
}

export function packVerdicts(common: CommonVerdicts): PackedVerdicts {
  const text = JSON.stringify(common);
  return {
    hash: createHash("sha256").update(text).digest("hex"),
    decided: decidedLines(common),
    verdicts: () => deflateRawSync(text, { level: 1 }),
  };
}

export function unpackVerdicts(bytes: Uint8Array): CommonVerdicts {
  return JSON.parse(inflateRawSync(bytes).toString());
}
