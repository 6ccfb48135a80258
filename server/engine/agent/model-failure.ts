import { readRetryAfter } from "../../../sdk/retry-after.ts";
import type { ModelFailureStep } from "../../contract/agent/trace.ts";
import { formatInterval } from "../../shared/format.ts";

/** The model call exceeded `callTimeout`. */
export class ModelCallTimedOut extends Error {
  override readonly name = "ModelCallTimedOut";
  constructor(timeoutMs: number) {
    super(`The model did not complete its answer within ${formatInterval(timeoutMs)} (callTimeout).`);
  }
}

/** The stream of the answer ended too early. */
export class ModelStreamBroken extends Error {
  override readonly name = "ModelStreamBroken";
}

const maxTries = 5;
const firstWaitMs = 2_000;
const maxBackoffMs = 60_000;
/** A longer `retry-after` is not honoured. */
const maxWaitMs = 24 * 3_600_000;

/**
 * Describes a failed model call and its retry: after the provider's `retry-after`, otherwise after 2, 4, 8, … seconds.
 * A call is made at most five times. API keys in the provider's message are removed.
 */
export function planModelFailure(
  thrown: unknown,
  p: { tries: number; now: number; random: () => number },
): ModelFailureStep {
  const status = numberOf(thrown, "statusCode");
  const message = hideKeys(messageOf(thrown));
  const kind = kindOf(thrown, status);
  const step = { type: "model_failure" as const, kind, message, status, waitMs: null };
  if (kind === "rejected" || p.tries >= maxTries) return step;
  const requestedMs = retryAfterMs(thrown, p.now);
  if (requestedMs !== null) return requestedMs > maxWaitMs ? step : { ...step, waitMs: requestedMs };
  const backoff = Math.min(maxBackoffMs, firstWaitMs * 2 ** (p.tries - 1));
  return { ...step, waitMs: Math.round(backoff * (0.75 + p.random() / 2)) };
}

function kindOf(thrown: unknown, status: number | null): ModelFailureStep["kind"] {
  if (thrown instanceof ModelCallTimedOut) return "timed_out";
  if (thrown instanceof ModelStreamBroken) return "disconnected";
  if (status === 429) return "rate_limited";
  if (status === 408 || status === 409 || (status !== null && status >= 500)) return "overloaded";
  // The answer had started without an error.
  if (status !== null && status < 300) return "disconnected";
  if (status !== null) return "rejected";
  // Reported in the middle of a stream, without a status.
  const words = `${textOf(thrown, "type")} ${textOf(thrown, "code")} ${messageOf(thrown)}`;
  if (/rate.?limit|too many requests/i.test(words)) return "rate_limited";
  if (/overloaded|unavailable|server.?error|internal error/i.test(words)) return "overloaded";
  const isBroken =
    read(thrown, "isRetryable") === true ||
    /fetch failed|terminated|socket|ECONN|ETIMEDOUT|EPIPE|network|premature|other side closed/i.test(
      `${words} ${messageOf(read(thrown, "cause"))}`,
    );
  return isBroken ? "disconnected" : "rejected";
}

/** `retry-after-ms`, or `retry-after` (RFC 9110, 10.2.3). */
function retryAfterMs(thrown: unknown, now: number): number | null {
  const headers = read(thrown, "responseHeaders");
  const ms = Number.parseFloat(textOf(headers, "retry-after-ms"));
  if (ms >= 0) return Math.ceil(ms);
  const at = readRetryAfter(textOf(headers, "retry-after"), now);
  return at === null ? null : at - now;
}

/** Providers repeat an invalid key in their error message. */
export function hideKeys(text: string): string {
  return text
    .replaceAll(/\b(?:sk|rk|pk|gsk)[\w*.-]{8,}/g, "[key]")
    .replaceAll(/\b(?:xai|key|sess|AIza)[\w*.-]{8,}/g, "[key]")
    .replaceAll(/\bBearer\s+\S+/gi, "Bearer [key]");
}

function messageOf(thrown: unknown): string {
  const message =
    typeof thrown === "string" ? thrown : textOf(thrown, "message") || textOf(read(thrown, "error"), "message");
  return (message || "The provider gave no reason.").slice(0, 4_000);
}

function numberOf(value: unknown, key: string): number | null {
  const found = read(value, key);
  return typeof found === "number" && Number.isInteger(found) ? found : null;
}

function textOf(value: unknown, key: string): string {
  const found = read(value, key);
  return typeof found === "string" ? found : "";
}

function read(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && key in value ? Reflect.get(value, key) : undefined;
}
