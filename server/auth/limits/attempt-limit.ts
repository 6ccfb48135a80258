import { AppError } from "../../contract/app-error.ts";
import { createTokenBucket, type TokenBucket } from "../../domain/requests/token-bucket.ts";

/** An anonymous client with many addresses must not fill the memory: the least recently used keys are removed. */
const maxKeys = 10_000;

/** Counts attempts per key: a network or an account. Throws AppError `rate_limited`. */
export function createAttemptLimit({ perMinute }: { perMinute: number }): (key: string, now: number) => void {
  const buckets = createRecentMap<TokenBucket>();
  return (key, now) => {
    const bucket = buckets.get(key) ?? createTokenBucket({ perSecond: perMinute / 60, burst: perMinute });
    buckets.set(key, bucket);
    if (!bucket.take(now).passes) throw new AppError("rate_limited", "Too many attempts. Try again in a minute.");
  };
}

/** Attempts at links and sign-ins of one network. */
export const attemptsPerMinute = 10;
/**
 * From all networks together. Three machines that guess reach it; one network that has signed in before is not stopped
 * by it.
 */
const accountAttemptsPerMinute = 30;

/**
 * Limits sign-in attempts, per network and per account. The limit of an account does not apply to networks with a
 * successful sign-in to it since the service started: anonymous clients cannot lock people out of their accounts.
 */
export function createSignInLimits() {
  const limitNetwork = createAttemptLimit({ perMinute: attemptsPerMinute });
  const limitAccount = createAttemptLimit({ perMinute: accountAttemptsPerMinute });
  const known = createRecentMap<true>();
  return {
    /** Throws AppError `rate_limited`. */
    take(p: { email: string; network: string; now: number }): void {
      limitNetwork(p.network, p.now);
      if (!known.get(pairOf(p))) limitAccount(p.email.toLowerCase(), p.now);
    },
    signedIn: (p: { email: string; network: string }): void => known.set(pairOf(p), true),
  };
}

const pairOf = ({ email, network }: { email: string; network: string }) => `${email.toLowerCase()} ${network}`;

function createRecentMap<V>() {
  const entries = new Map<string, V>();
  return {
    get: (key: string) => entries.get(key),
    set(key: string, value: V): void {
      entries.delete(key);
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > maxKeys && oldest !== undefined) entries.delete(oldest);
    },
  };
}
