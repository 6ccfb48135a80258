import { type TokenBucket, createTokenBucket } from "../domain/token-bucket.ts";
import type { Logger } from "../ports/logger.ts";

/** The recorded part of a request with an invalid signature. */
export type KeptPart = "all" | "all but the body" | "nothing";

/**
 * Requests with an invalid signature are recorded completely, so that they can be redelivered after a wrong secret is
 * fixed. To keep a flood from filling the disk, each endpoint has its own budget: a burst of 500 requests and 64 MiB,
 * then 10 requests and 64 KiB per second.
 */
export function createUnverifiedBudget(
  logger: Logger,
): (delivery: { endpoint: string; body: Uint8Array | null }, now: number) => KeptPart {
  const shares = new Map<string, { requests: TokenBucket; bytes: TokenBucket }>();
  return ({ endpoint, body }, now) => {
    // Only endpoints of the project come here: there are no more than those.
    const share = shares.get(endpoint) ?? {
      requests: createTokenBucket({ perSecond: 10, burst: 500 }),
      bytes: createTokenBucket({ perSecond: 64 * 1024, burst: 64 * 1024 * 1024 }),
    };
    shares.set(endpoint, share);
    const turn = share.requests.take(now);
    if (!turn.passes) return "nothing";
    if (turn.refused > 0)
      logger.warn("rejected requests not recorded: too many with an invalid signature", {
        endpoint,
        unrecorded: turn.refused,
      });
    return body === null || share.bytes.take(now, body.length).passes ? "all" : "all but the body";
  };
}
