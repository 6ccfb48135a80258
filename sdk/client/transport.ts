import { readRetryAfter } from "../retry-after.ts";
import type { Problem } from "./api-types.ts";
import { ApiError, ConnectionError } from "./errors.ts";

/** The part of `fetch` that the client uses. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

export interface TransportOptions {
  /** Without a trailing slash. */
  baseUrl: string;
  token: string | null;
  fetch: FetchLike;
  retries: number;
  timeoutMs: number;
}

export interface ApiRequest {
  method?: "GET" | "POST";
  /** Below `/api/v1`. */
  path: string;
  query?: Record<string, string | number | boolean | null | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
  /** Added to the timeout of the transport: the service may wait for this long. */
  waitMs?: number;
  /** Default: `true`. If a lost response may not be followed by the same request: `false`. */
  isRepeatable?: boolean;
  signal?: AbortSignal | undefined;
}

export interface Transport {
  /** The body of a successful response, which has the type of the API's document. */
  request<Result>(request: ApiRequest): Promise<{ body: Result; headers: Headers }>;
  /** A successful response whose body was not read. `retries` of the transport do not apply. */
  open(request: ApiRequest): Promise<Response>;
}

/** Longer pauses are for the caller to make. */
const maxPauseMs = 60_000;
const firstPauseMs = 500;

export function createTransport(options: TransportOptions): Transport {
  return {
    async request<Result>(request: ApiRequest) {
      for (let attempt = 0; ; attempt += 1) {
        try {
          return await within(options, request, async (signal) => {
            const response = await send(options, request, signal);
            return { body: (await readJson(options, response)) as Result, headers: response.headers };
          });
        } catch (error) {
          const pauseMs = pauseBefore(error, attempt);
          if (attempt >= options.retries || pauseMs === null || !mayRepeat(error, request)) throw error;
          await sleep(pauseMs, request.signal);
        }
      }
    },
    open: (request) => within(options, request, (signal) => send(options, request, signal)),
  };
}

/** The pause after the attempt of this number, from 0; `null`: the request would fail again. */
export function pauseBefore(error: unknown, attempt: number): number | null {
  if (error instanceof ConnectionError && !isTransient(error)) return null;
  if (error instanceof ApiError && !error.isRetryable) return null;
  if (!(error instanceof ConnectionError || error instanceof ApiError)) return null;
  const retryAfterMs = retryAfterOf.get(error) ?? 0;
  if (retryAfterMs > maxPauseMs) return null;
  const backoffMs = firstPauseMs * 2 ** attempt;
  // The random part keeps clients apart that failed together.
  return Math.max(retryAfterMs, Math.min(maxPauseMs, backoffMs)) + (Math.random() * backoffMs) / 2;
}

/** A problem shows that the service did nothing. Without a response, the request may have had its effect. */
function mayRepeat(error: unknown, { isRepeatable = true }: ApiRequest): boolean {
  return isRepeatable || (error instanceof ApiError && error.status !== 500);
}

const retryAfterOf = new WeakMap<Error, number>();
const lasting = new WeakSet<Error>();

function isTransient(error: ConnectionError): boolean {
  return !lasting.has(error);
}

/** Rejects with the reason of the caller's signal, or with a ConnectionError after the timeout. */
async function within<Result>(
  { baseUrl, timeoutMs }: TransportOptions,
  { signal, waitMs = 0 }: ApiRequest,
  operation: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const timedOut = new AbortController();
  const timer = setTimeout(() => timedOut.abort(), timeoutMs + waitMs);
  try {
    return await operation(signal ? AbortSignal.any([signal, timedOut.signal]) : timedOut.signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (timedOut.signal.aborted)
      throw new ConnectionError(`${baseUrl} has not responded within ${(timeoutMs + waitMs) / 1000} seconds.`);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function send(options: TransportOptions, request: ApiRequest, signal: AbortSignal): Promise<Response> {
  const { baseUrl, token } = options;
  const response = await options
    .fetch(urlOf(baseUrl, request), {
      method: request.method ?? "GET",
      headers: {
        accept: "application/json",
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(request.body !== undefined && { "content-type": "application/json" }),
        ...request.headers,
      },
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
      // A redirect could send the token elsewhere.
      redirect: "manual",
      signal,
    })
    .catch((cause: unknown) => {
      throw new ConnectionError(`${baseUrl} cannot be reached: ${reasonOf(cause)}`, { cause });
    });
  if (response.ok) return response;
  throw await toError(options, response);
}

function urlOf(baseUrl: string, { path, query = {} }: ApiRequest): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) search.set(name, String(value));
  return `${baseUrl}/api/v1${path}${search.size > 0 ? `?${search}` : ""}`;
}

async function toError({ baseUrl }: TransportOptions, response: Response): Promise<Error> {
  // Browsers hide the status of a redirect.
  if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400))
    return asLasting(
      new ConnectionError(`${baseUrl} responds with a redirect. Set url to the address that it leads to.`),
    );
  const problem: unknown = await response.json().catch(() => null);
  const error = isProblem(problem)
    ? new ApiError(problem, baseUrl)
    : unexpectedResponse(baseUrl, response, "not from Signalbox");
  const retryAt = readRetryAfter(response.headers.get("retry-after"), Date.now());
  if (retryAt !== null) retryAfterOf.set(error, retryAt - Date.now());
  return error;
}

/** Of a proxy or of another program. */
const transientStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

function unexpectedResponse(baseUrl: string, { status }: Response, why: string): ConnectionError {
  const error = new ConnectionError(
    `Unexpected response of ${baseUrl}: status ${status}, ${why}. Check that url is the address of a Signalbox service.`,
  );
  return transientStatuses.has(status) ? error : asLasting(error);
}

function asLasting<E extends Error>(error: E): E {
  lasting.add(error);
  return error;
}

async function readJson({ baseUrl }: TransportOptions, response: Response): Promise<unknown> {
  if (!/\bjson\b/.test(response.headers.get("content-type") ?? ""))
    throw unexpectedResponse(baseUrl, response, "not JSON");
  const text = await response.text().catch((cause: unknown) => {
    throw new ConnectionError(`The response of ${baseUrl} ended early: ${reasonOf(cause)}`, { cause });
  });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ConnectionError(`The response of ${baseUrl} is not complete.`, { cause });
  }
}

function isProblem(value: unknown): value is Problem {
  if (typeof value !== "object" || value === null) return false;
  const { code, title, detail, type, status } = value as Record<string, unknown>;
  return [code, title, detail, type].every((text) => typeof text === "string") && typeof status === "number";
}

/** Node hides the reason of the system, e.g. ECONNREFUSED, in the cause. */
export function reasonOf(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  if (!(inner instanceof Error)) return String(inner);
  return inner.message || String("code" in inner ? inner.code : inner.name);
}

/** Rejects with the signal's reason. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      // oxlint-disable-next-line prefer-promise-reject-errors -- the caller's own reason
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
  });
}
