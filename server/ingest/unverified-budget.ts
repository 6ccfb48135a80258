import { type TokenBucket, createTokenBucket } from "../domain/token-bucket.ts";
import type { Logger } from "../ports/logger.ts";

/** What is kept of a request whose signature is bad. */
export type KeptPart = "all" | "all but the body" | "nothing";

/**
 * Requests with a bad signature are kept whole, so that they can be delivered again when a wrong secret is mended; but
 * only so many that a flood cannot fill the disk. Each endpoint has its own share: after a burst of 500 requests and 64
 * MiB, ten a second and 64 KiB a second.
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
      logger.warn("Requests with a bad signature came too fast to record them all", {
        endpoint,
        unrecorded: turn.refused,
      });
    return body === null || share.bytes.take(now, body.length).passes ? "all" : "all but the body";
  };
}
