import { AppError } from "../contract/app-error.ts";
import type { Rate } from "../contract/project/endpoint.ts";
import type { RateLimits } from "../contract/project/settings.ts";
import { type Allowance, createRateLimit, type RateCheck, type RateResult } from "../domain/requests/rate-limit.ts";
import type { Rejected, RequestHead } from "./ingest-request.ts";

/** `headers` are part of every response. */
type Limited = ({ kind: "passed" } | Rejected) & { headers: Record<string, string> };

/** `ownRate`: the `rateLimit` of the endpoint's sources; it replaces `perEndpoint`. */
type Limiter = (
  head: Pick<RequestHead, "path" | "startedAt">,
  keyId: string | null,
  ownRate: Rate | null,
) => Limited | Promise<Limited>;

/** Counts over all machines that receive. */
export type TakeRates = (asked: readonly RateCheck[]) => Promise<RateResult>;

/** Keys and endpoints that are remembered: some MiB. */
const maxNames = 20_000;
const windowSeconds = { second: 1, minute: 60, hour: 3600 };

/** A limit that applies to a request. `subject` is the key or endpoint that it counts. */
interface Limit {
  name: "key" | "endpoint";
  rule: Rate;
  subject: string;
}

type AskedLimit = Limit & Allowance;

const unlimited: Limited = { kind: "passed", headers: {} };

/**
 * Counts authenticated requests per key and per endpoint: across all machines if `takeRates` is given, else in the
 * memory of this process. A request that any limit rejects is charged to none. The headers are those of
 * draft-ietf-httpapi-ratelimit-headers-11: at most `r` requests within the next `t` seconds, which equals Retry-After
 * in a rejection.
 */
export function createLimiter({ perKey, perEndpoint }: RateLimits, takeRates?: TakeRates): Limiter {
  const takeHere = createRateLimit({ maxNames });

  const take = async (
    { path, startedAt: now }: Pick<RequestHead, "path" | "startedAt">,
    keyId: string | null,
    ownRate: Rate | null,
  ): Promise<Limited> => {
    const endpoint = path.kind === "endpoint" ? path.endpoint.slice(0, 256) : null;
    const limits = [...limit("key", perKey, keyId), ...limit("endpoint", ownRate ?? perEndpoint, endpoint)];
    if (limits.length === 0) return unlimited;
    const asked = limits.map(toAsked);
    const { isOver, allowances } = takeRates ? await takeRates(asked) : takeHere(asked, now);
    const answered = limits.map((one, at): AskedLimit => ({
      ...one,
      ...(allowances[at] ?? { remaining: 0, oneMoreInMs: 0 }),
    }));
    const headers = {
      "ratelimit-policy": limits
        .map(({ name, rule }) => `"${name}";q=${rule.requests};w=${windowSeconds[rule.per]}`)
        .join(", "),
      ratelimit: answered
        .map(({ name, remaining, oneMoreInMs }) => `"${name}";r=${remaining};t=${wholeSeconds(oneMoreInMs)}`)
        .join(", "),
    };
    return isOver ? rejected(headers, answered) : { kind: "passed", headers };
  };
  return (head, keyId, ownRate) => (perKey || perEndpoint || ownRate ? take(head, keyId, ownRate) : unlimited);
}

function limit(name: Limit["name"], rule: Rate | null | undefined, subject: string | null): Limit[] {
  return rule && subject !== null ? [{ name, rule, subject }] : [];
}

/** A limit that a reload changes starts with a full allowance. */
function toAsked({ name, rule, subject }: Limit): RateCheck {
  return {
    name: `${name} ${rule.requests}/${rule.per} ${subject}`,
    rule: { requests: rule.requests, windowMs: windowSeconds[rule.per] * 1000 },
  };
}

function rejected(headers: Record<string, string>, asked: readonly AskedLimit[]): Limited {
  const over = asked.filter(({ remaining }) => remaining === 0).toSorted((a, b) => b.oneMoreInMs - a.oneMoreInMs);
  const [longest] = over;
  const seconds = Math.max(1, wholeSeconds(longest?.oneMoreInMs ?? 0));
  const limitText = longest ? `The limit of this ${longest.name} is ${formatRate(longest.rule)}. ` : "";
  return {
    kind: "rejected",
    headers: { ...headers, "retry-after": String(seconds) },
    error: new AppError(
      "rate_limited",
      `${limitText}Send the request again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`,
    ),
  };
}

function formatRate({ requests, per }: Rate): string {
  return `${requests} ${requests === 1 ? "request" : "requests"} per ${per}`;
}

/** Sums of floats may exceed a whole number by a rounding error. */
function wholeSeconds(ms: number): number {
  return Math.ceil(ms / 1000 - 1e-6);
}
