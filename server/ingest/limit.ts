import type { RateLimits } from "../contract/settings.ts";
import { AppError } from "../contract/app-error.ts";
import { createRateLimit } from "../domain/rate-limit.ts";
import type { Arrival } from "./arrival.ts";

/** `headers` go with whatever the answer will be; `refusal`: why the request may not come now. */
interface LimitVerdict {
  headers: Record<string, string>;
  refusal: AppError | null;
}

export type Limiter = (arrival: Pick<Arrival, "path" | "startedAt">, keyId: string | null) => LimitVerdict;

/** Keys and endpoints that are remembered of each limit: some MiB. */
const mostNames = 10_000;
const windowSeconds = { second: 1, minute: 60, hour: 3600 };

/**
 * Counts authenticated requests per key and per endpoint, in this process's memory. A request that any limit refuses is charged to none. The headers are those of
 * draft-ietf-httpapi-ratelimit-headers-10: `t` is when one more than `r` may come, and on a refusal equals Retry-After.
 */
export function createLimiter({ perKey, perEndpoint }: RateLimits): Limiter {
  const limits = [
    ...(perKey ? [watch("key", perKey, (_, keyId) => keyId)] : []),
    ...(perEndpoint ? [watch("endpoint", perEndpoint, ({ path }) => (path.kind === "endpoint" ? path.endpoint.slice(0, 256) : null))] : []),
  ];
  const policy = limits.map(({ name, requests, seconds }) => `"${name}";q=${requests};w=${seconds}`).join(", ");

  return (arrival, keyId) => {
    const now = arrival.startedAt;
    const asked = limits.flatMap((limit) => {
      const subject = limit.subjectOf(arrival, keyId);
      return subject === null ? [] : [{ limit, subject, ...limit.rate.look(subject, now) }];
    });
    if (asked.length === 0) return { headers: {}, refusal: null };
    const isOver = asked.some(({ remaining }) => remaining === 0);
    if (!isOver) for (const { limit, subject } of asked) limit.rate.take(subject, now);
    const left = isOver ? asked : asked.map((one) => ({ ...one, ...one.limit.rate.look(one.subject, now) }));
    const told = left.map(({ limit, remaining, oneMoreInMs }) => `"${limit.name}";r=${remaining};t=${wholeSeconds(oneMoreInMs)}`);
    const headers = { "ratelimit-policy": policy, ratelimit: told.join(", ") };
    return isOver ? refused(headers, asked) : { headers, refusal: null };
  };
}

function watch(name: string, { requests, per }: { requests: number; per: keyof typeof windowSeconds }, subjectOf: (arrival: Pick<Arrival, "path">, keyId: string | null) => string | null) {
  const seconds = windowSeconds[per];
  return { name, requests, per, seconds, subjectOf, rate: createRateLimit({ requests, windowMs: seconds * 1000, mostNames }) };
}

function refused(headers: Record<string, string>, asked: { limit: ReturnType<typeof watch>; remaining: number; oneMoreInMs: number }[]): LimitVerdict {
  const over = asked.filter(({ remaining }) => remaining === 0).toSorted((a, b) => b.oneMoreInMs - a.oneMoreInMs);
  const [longest] = over;
  const seconds = Math.max(1, wholeSeconds(longest?.oneMoreInMs ?? 0));
  const words = `This ${longest?.limit.name} takes ${longest?.limit.requests} requests ${longest?.limit.per === "hour" ? "an" : "a"} ${longest?.limit.per}. Send it again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`;
  return { headers: { ...headers, "retry-after": String(seconds) }, refusal: new AppError("rate_limited", words) };
}

/** What adds up in floats may be over a whole by less than nothing. */
function wholeSeconds(ms: number): number {
  return Math.ceil(ms / 1000 - 1e-6);
}
