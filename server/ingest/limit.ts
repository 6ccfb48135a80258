import { AppError } from "../contract/app-error.ts";
import type { Rate } from "../contract/rate.ts";
import type { RateLimits } from "../contract/settings.ts";
import { createRateLimit, type RateLimit } from "../domain/rate-limit.ts";
import type { Arrival } from "./arrival.ts";

/** `headers` go with whatever the answer will be; `refusal`: why the request may not come now. */
interface LimitVerdict {
  headers: Record<string, string>;
  refusal: AppError | null;
}

/** `ownRate`: what the sources of the endpoint say in `rateLimit`; it takes the place of `perEndpoint` there. */
export type Limiter = (arrival: Pick<Arrival, "path" | "startedAt">, keyId: string | null, ownRate: Rate | null) => LimitVerdict;

/** Keys and endpoints that are remembered of each limit: some MiB. */
const mostNames = 10_000;
const windowSeconds = { second: 1, minute: 60, hour: 3600 };

/** A limit that holds for a request: `subject` is whom it counts. */
interface Limit {
  name: "key" | "endpoint";
  rule: Rate;
  subject: string;
  rate: RateLimit;
}

type AskedLimit = Limit & ReturnType<RateLimit["look"]>;

/**
 * Counts authenticated requests per key and per endpoint, in this process's memory. A request that any limit refuses is charged to none. The headers are those of
 * draft-ietf-httpapi-ratelimit-headers-11: no more than `r` may come within the next `t` seconds, which on a refusal equals Retry-After.
 */
export function createLimiter({ perKey, perEndpoint }: RateLimits): Limiter {
  // A limit that is changed by a reload counts anew.
  const rates = new Map<string, RateLimit>();

  function limit(name: Limit["name"], rule: Rate | null | undefined, subject: string | null): Limit[] {
    if (!rule || subject === null) return [];
    const id = `${name} ${rule.requests}/${rule.per}`;
    const rate = rates.get(id) ?? createRateLimit({ requests: rule.requests, windowMs: windowSeconds[rule.per] * 1000, mostNames });
    rates.set(id, rate);
    return [{ name, rule, subject, rate }];
  }

  return ({ path, startedAt: now }, keyId, ownRate) => {
    const endpoint = path.kind === "endpoint" ? path.endpoint.slice(0, 256) : null;
    const limits = [...limit("key", perKey, keyId), ...limit("endpoint", ownRate ?? perEndpoint, endpoint)];
    if (limits.length === 0) return { headers: {}, refusal: null };
    const asked = lookAt(limits, now);
    const isOver = asked.some(({ remaining }) => remaining === 0);
    if (!isOver) for (const { rate, subject } of asked) rate.take(subject, now);
    const headers = {
      "ratelimit-policy": limits.map(({ name, rule }) => `"${name}";q=${rule.requests};w=${windowSeconds[rule.per]}`).join(", "),
      ratelimit: (isOver ? asked : lookAt(limits, now)).map(({ name, remaining, oneMoreInMs }) => `"${name}";r=${remaining};t=${wholeSeconds(oneMoreInMs)}`).join(", "),
    };
    return isOver ? refused(headers, asked) : { headers, refusal: null };
  };
}

function lookAt(limits: readonly Limit[], now: number): AskedLimit[] {
  return limits.map((limit) => ({ ...limit, ...limit.rate.look(limit.subject, now) }));
}

function refused(headers: Record<string, string>, asked: readonly AskedLimit[]): LimitVerdict {
  const over = asked.filter(({ remaining }) => remaining === 0).toSorted((a, b) => b.oneMoreInMs - a.oneMoreInMs);
  const [longest] = over;
  const seconds = Math.max(1, wholeSeconds(longest?.oneMoreInMs ?? 0));
  const takes = longest ? `This ${longest.name} takes ${sayRate(longest.rule)}. ` : "";
  return { headers: { ...headers, "retry-after": String(seconds) }, refusal: new AppError("rate_limited", `${takes}Send it again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`) };
}

function sayRate({ requests, per }: Rate): string {
  return `${requests} ${requests === 1 ? "request" : "requests"} ${per === "hour" ? "an" : "a"} ${per}`;
}

/** What adds up in floats may be over a whole by less than nothing. */
function wholeSeconds(ms: number): number {
  return Math.ceil(ms / 1000 - 1e-6);
}
