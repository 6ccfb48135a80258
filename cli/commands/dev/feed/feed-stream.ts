import { problemSchema } from "../../../../server/contract/problem.ts";
import { type FedDelivery, fedDeliverySchema } from "../../../../server/contract/feed.ts";
import { isLoopbackUrl } from "../../../../server/domain/requests/local-request.ts";
import { problemFailure } from "../../../api/api-client.ts";
import { noResponse } from "../../../api/no-response.ts";
import { Failure, usageFailure } from "../../../terminal/failure.ts";
import { formatInterval } from "../../../../server/shared/format.ts";

/** The service whose deliveries are followed. */
export interface FeedSource {
  /** Without a trailing slash. */
  url: string;
  token: string | null;
  /** Empty: all endpoints. */
  endpoints: readonly string[];
}

/** Where the feed starts: after a cursor, at a time (ISO 8601), or at the next delivery. */
export type FeedStart = { cursor: string } | { since: string } | null;

/** An event of the feed. `null`: the reader has everything before the cursor. */
export interface FeedMessage {
  cursor: string;
  delivery: FedDelivery | null;
}

/** The service sends a position after ten seconds of silence. */
const maxSilenceMs = 35_000;

/** Throws a Failure for anything but an address to which a token may be sent. */
export function parseFeedUrl(value: string): string {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw usageFailure(
      `--from must be the address of a Signalbox service, e.g. https://hooks.example.com (it is ${JSON.stringify(value)}).`,
    );
  if (url.protocol === "http:" && !isLoopbackUrl(value))
    throw usageFailure(
      `--from must start with https://: the token and the deliveries would cross the network in clear text.`,
    );
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/** A failure after which the same request may succeed. */
export class InterruptedFeed extends Failure {}

/**
 * Opens the feed and reads it until it ends or `signal` is aborted. Throws an InterruptedFeed if it can be opened
 * again, and any other Failure if not.
 */
export async function* readFeed(
  source: FeedSource,
  start: FeedStart,
  signal: AbortSignal,
): AsyncGenerator<FeedMessage, void> {
  const silence = createSilenceTimer();
  const stopping = AbortSignal.any([signal, silence.signal]);
  try {
    const response = await openFeed(source, start, stopping);
    for await (const event of parseEvents(response, silence.heard)) {
      if (event.id !== "") yield { cursor: event.id, delivery: toDelivery(event) };
    }
    if (!signal.aborted) throw interrupted(source.url, "the connection was closed");
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof Failure) throw error;
    const reason = silence.signal.aborted ? `no data for ${formatInterval(maxSilenceMs)}` : reasonOf(error);
    throw interrupted(source.url, reason, error);
  } finally {
    silence.stop();
  }
}

async function openFeed(source: FeedSource, start: FeedStart, signal: AbortSignal): Promise<Response> {
  const url = new URL(`${source.url}/api/v1/deliveries/feed`);
  for (const [name, value] of Object.entries({ ...start })) url.searchParams.set(name, value);
  for (const endpoint of source.endpoints) url.searchParams.append("endpoint", endpoint);
  const headers: Record<string, string> = { accept: "text/event-stream", "signalbox-client": "cli" };
  if (source.token !== null) headers["authorization"] = `Bearer ${source.token}`;
  const response = await fetch(url, { headers, signal, redirect: "manual" }).catch((cause: unknown) => {
    if (signal.aborted) throw cause;
    throw interrupted(source.url, noResponse(source.url, cause).message, cause);
  });
  if (response.ok && response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
  throw await toFailure(source, response);
}

async function toFailure({ url, token }: FeedSource, response: Response): Promise<Failure> {
  const { status } = response;
  const problem = problemSchema.safeParse(await response.json().catch(() => null)).data;
  if (status >= 500 || status === 429) return interrupted(url, problem?.detail ?? `status ${status}`);
  if (status === 404 && problem)
    return new Failure(`${url} has no feed of deliveries: its version of Signalbox is older than this one.`, {
      code: "no_feed",
      fix: "Upgrade that service. `signalbox triggers test --since` compares its deliveries with this build.",
    });
  if (!problem)
    return new Failure(`${url} is not a Signalbox service: it responded with status ${status}.`, {
      code: "unexpected_answer",
      fix: "Check the address in --from. If it redirects, use the target of the redirect.",
    });
  if (problem.code === "unauthorized" && token === null)
    return new Failure("SIGNALBOX_TOKEN is not set.", { code: problem.code, fix: tokenFix(url) });
  const failure = problemFailure(problem);
  return new Failure(
    `${url}: ${problem.code === "unauthorized" ? "The token in SIGNALBOX_TOKEN is invalid, revoked or expired." : failure.message}`,
    { ...failure.details, ...fixesOf(url)[problem.code] },
  );
}

const tokenFix = (url: string) =>
  `Set SIGNALBOX_TOKEN to an API token of ${url}. There, \`signalbox keys create --api --scope feed --expires 30d\` creates one.`;

const fixesOf = (url: string): Record<string, { fix: string }> => ({
  unauthorized: { fix: tokenFix(url) },
  forbidden: { fix: tokenFix(url) },
  cursor_expired: { fix: "Choose where to continue: --since 24h starts with the deliveries of the last day." },
});

function interrupted(url: string, reason: string, cause?: unknown): InterruptedFeed {
  return new InterruptedFeed(`The feed of ${url} was interrupted: ${reason}`, {
    code: "feed_interrupted",
    fix: "Signalbox opens it again.",
    cause,
  });
}

function reasonOf(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return inner instanceof Error ? inner.message : String(inner);
}

/** Aborts its signal if no data is received for too long. */
function createSilenceTimer(): { signal: AbortSignal; heard(): void; stop(): void } {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(), maxSilenceMs);
  return { signal: silent.signal, heard: () => void timer.refresh(), stop: () => clearTimeout(timer) };
}

interface ServerSentEvent {
  id: string;
  event: string;
  data: string;
}

function toDelivery({ event, data }: ServerSentEvent): FedDelivery | null {
  return event === "delivery" ? fedDeliverySchema.parse(JSON.parse(data)) : null;
}

/** Server-sent events (WHATWG HTML, 9.2), as this service sends them: lines end with a line feed. */
async function* parseEvents(response: Response, onChunk: () => void): AsyncGenerator<ServerSentEvent, void> {
  const decoder = new TextDecoder();
  // An event can have many MiB: chunks are joined only when it is complete.
  let pending: string[] = [];
  let ending = "";
  for await (const chunk of response.body ?? []) {
    onChunk();
    let text = decoder.decode(chunk, { stream: true });
    // The blank line may be split between two chunks.
    if (ending === "\n" && text.startsWith("\n")) {
      yield parseEvent(pending.join(""));
      pending = [];
      text = text.slice(1);
    }
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      yield parseEvent(pending.join("") + text.slice(0, end));
      pending = [];
      text = text.slice(end + 2);
    }
    if (text !== "") pending.push(text);
    ending = pending.at(-1)?.at(-1) ?? "";
  }
}

function parseEvent(text: string): ServerSentEvent {
  const event: ServerSentEvent = { id: "", event: "message", data: "" };
  for (const line of text.split("\n")) {
    // Not by a pattern: `.` would end at a line separator (U+2028), which JSON does not escape.
    for (const name of ["id", "event", "data"] as const)
      if (line.startsWith(`${name}: `)) event[name] = line.slice(name.length + 2);
  }
  return event;
}
