import { isIPv6 } from "node:net";
import { AppError } from "../contract/app-error.ts";
import { type TokenBucket, createTokenBucket } from "../domain/token-bucket.ts";

/** As many as for signing in. */
const mostInAMinute = 10;
/** A stranger with many addresses shall not fill the memory: those that were heard of longest ago are forgotten. */
const mostAddresses = 10_000;

/** How often somebody at one address may try a link. Throws AppError `rate_limited`. */
export function createAttemptLimit(): (address: string | null, now: number) => void {
  const buckets = new Map<string, TokenBucket>();
  return (address, now) => {
    const network = networkOf(address ?? "");
    const bucket = buckets.get(network) ?? createTokenBucket({ perSecond: mostInAMinute / 60, burst: mostInAMinute });
    buckets.delete(network);
    buckets.set(network, bucket);
    const [oldest] = buckets.keys();
    if (buckets.size > mostAddresses && oldest !== undefined) buckets.delete(oldest);
    if (!bucket.take(now).passes) throw new AppError("rate_limited", "Too many attempts. Try again in a minute.");
  };
}

/** Whoever has an IPv6 address has 2^64 of them. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = new URL(`http://[${address.replace(/%.*$/, "")}]`).hostname.slice(1, -1).split("::");
  const before = head.split(":").filter(Boolean);
  const after = (tail ?? "").split(":").filter(Boolean);
  return [...before, ...Array<string>(8 - before.length - after.length).fill("0"), ...after].slice(0, 4).join(":");
}
