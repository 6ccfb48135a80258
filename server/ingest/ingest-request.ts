import { AppError } from "../contract/app-error.ts";
import type { BodyFormat } from "../contract/project/endpoint.ts";
import { newId } from "../domain/ids.ts";
import { claimsToBeKey } from "../domain/privacy/redaction.ts";
import { chooseFormat, queryFormat } from "../domain/requests/body-format.ts";
import { type BodyMemory, createBodyBuffer } from "../domain/requests/request-body.ts";
import { createResponseLimit, type ResponseLimit } from "./response-limit.ts";

/** One incoming webhook, independent of any HTTP library. */
export interface IngestRequest {
  method: string;
  /** The request target as sent, in origin form: path and query, undecoded, e.g. `/triggers/billing?token=…`. */
  target: string;
  /** Name, value, name, value, as sent, in order; duplicates stay. */
  headers: readonly string[];
  /** Whether a trusted proxy sent it: its X-Forwarded-* headers are then those of the sender. Default: no. */
  isFromProxy?(): boolean;
  /** Whether the sender has closed the connection: no response reaches it. Default: it has not. */
  isAbandoned?(): boolean;
  /**
   * Reads the body, chunk by chunk, until its end or until `take` returns false. Not read before the pipeline asks for
   * it. No promise: the body was complete. Rejects when the sender goes away, and with AppError `request_timeout` when
   * it takes too long.
   */
  readBody(take: (chunk: Uint8Array) => boolean): Promise<void> | void;
}

export interface IngestResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The body was not read completely: the HTTP server closes the connection after the response. */
  closesConnection: boolean;
}

/** The result of a stage that ends the request. `error` is an AppError, or a defect. */
export interface Rejected {
  kind: "rejected";
  error: unknown;
}

/** Headers by name in lower case. The values of a repeated one are joined by a comma, in the order sent. */
type HeaderMap = ReadonlyMap<string, string>;

/** The endpoint in the path of a request. `raw` is the part after `/triggers/`, as sent. */
type EndpointPath = { kind: "endpoint"; endpoint: string; raw: string } | { kind: "unreadable"; raw: string };

/** A request before its body is read. */
export interface RequestHead {
  /** Of the delivery. */
  id: string;
  receivedAt: number;
  /** By performance.now(), to measure how long the response took. */
  startedAt: number;
  /** When its response is due. */
  limit: ResponseLimit;
  method: string;
  path: EndpointPath;
  headers: HeaderMap;
  /** All values of the headers that were sent several times; `null`: none was. */
  repeatedHeaders: ReadonlyMap<string, readonly string[]> | null;
  /** The query without keys, as sent, with its parameters sorted by name. */
  query: string;
  /** Every credential that was sent in one of the forms of a key, of this service or of another one. */
  keys: string[];
  /** Secrets that must not be stored or repeated. */
  secrets: string[];
  /** `null` if the request has no Content-Length. */
  declaredBytes: number | null;
  hasBody: boolean;
}

export function readHead(request: IngestRequest, now: number): RequestHead {
  const [target = ""] = request.target.split("#", 1);
  const queryAt = target.indexOf("?");
  const headers = new Map<string, string>();
  const keys = queryAt < 0 ? noKeys() : readQueryKeys(target.slice(queryAt + 1));
  const { headers: raw } = request;
  const repeated = new Map<string, string[]>();
  // Not authenticated yet: no more work than one pass.
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]?.toLowerCase() ?? "";
    const value = raw[at + 1] ?? "";
    const first = headers.get(name);
    const values = repeated.get(name);
    if (first === undefined) headers.set(name, value);
    else if (values) values.push(value);
    else repeated.set(name, [first, value]);
  }
  const valuesOf = (name: string) => repeated.get(name) ?? [headers.get(name) ?? ""];
  if (headers.has("authorization"))
    for (const value of valuesOf("authorization").flatMap(splitCredentials)) {
      const token = readBearerToken(value);
      if (token !== null) keys.sent.push(token);
      const basic = readBasicKeys(value);
      keys.sent.push(...basic.sent);
      keys.escaped.push(...basic.escaped);
    }
  if (headers.has("x-api-key"))
    keys.sent.push(...valuesOf("x-api-key").flatMap((value) => value.split(",").map((key) => key.trim())));
  for (const [name, values] of repeated) headers.set(name, values.join(", "));
  const declaredBytes = readContentLength(headers);
  return {
    id: newId("dlv", now),
    receivedAt: now,
    startedAt: performance.now(),
    limit: createResponseLimit(() => request.isAbandoned?.() ?? false),
    method: request.method,
    path: readEndpointPath(queryAt < 0 ? target : target.slice(0, queryAt)),
    headers,
    repeatedHeaders: repeated.size > 0 ? repeated : null,
    query: queryAt < 0 ? "" : withoutKeys(target.slice(queryAt + 1)),
    keys: keys.sent,
    secrets:
      keys.sent.length > 1 || keys.escaped.length > 0 ? [...new Set([...keys.sent, ...keys.escaped])] : keys.sent,
    declaredBytes,
    hasBody: (declaredBytes ?? 0) > 0 || headers.has("transfer-encoding"),
  };
}

function readContentLength(headers: HeaderMap): number | null {
  const length = headers.get("content-length");
  return length !== undefined && /^\d+$/.test(length) ? Math.min(Number(length), Number.MAX_SAFE_INTEGER) : null;
}

const prefix = "/triggers/";

/**
 * The endpoint that a path names: decoded once, strictly, and otherwise left as it is, so that it can be compared
 * exactly. An escaped slash never becomes a separator: such a path names no endpoint.
 */
function readEndpointPath(path: string): EndpointPath {
  const raw = path.startsWith(prefix) ? path.slice(prefix.length) : "";
  if (!/[%\0]/.test(raw)) return { kind: "endpoint", endpoint: raw, raw };
  try {
    const segments = raw.split("/").map((segment) => decodeURIComponent(segment));
    const isPlain = segments.every((segment) => !/[/\0]/.test(segment));
    return { kind: "endpoint", endpoint: isPlain ? segments.join("/") : "", raw };
  } catch {
    return { kind: "unreadable", raw };
  }
}

/**
 * Every credential in a request in one of the forms of a key: `?token=`, `?api_key=`, `Authorization` (Bearer or Basic)
 * and `x-api-key`. They include those of other services, which must not be stored either.
 */
interface SentKeys {
  sent: string[];
  /** Those that were sent in another notation (with escapes in the query, in base64), as they were written. */
  escaped: string[];
}

const noKeys = (): SentKeys => ({ sent: [], escaped: [] });
const keyParameters = new Set(["token", "api_key"]);

/** The same keys that URLSearchParams finds, which skips a question mark at the beginning. */
function readQueryKeys(query: string): SentKeys {
  const keys = noKeys();
  for (const pair of (query.startsWith("?") ? query.slice(1) : query).split("&")) {
    const nameEnd = pair.indexOf("=");
    const name = nameEnd < 0 ? pair : pair.slice(0, nameEnd);
    if (!keyParameters.has(decodeParameter(name))) continue;
    const value = nameEnd < 0 ? "" : pair.slice(nameEnd + 1);
    const key = decodeParameter(value);
    keys.sent.push(key);
    if (key !== value) keys.escaped.push(value);
  }
  return keys;
}

/** The order of parameters means nothing: sorted, equal events have equal bytes. Values of one name keep their order. */
function withoutKeys(query: string): string {
  const named = (query.startsWith("?") ? query.slice(1) : query)
    .split("&")
    .flatMap((pair): { name: string; pair: string }[] => {
      const name = decodeParameter(pair.split("=", 1)[0] ?? "");
      return pair === "" || keyParameters.has(name) ? [] : [{ name, pair }];
    });
  return named
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ pair }) => pair)
    .join("&");
}

function decodeParameter(text: string): string {
  return /[%+]/.test(text) ? (new URLSearchParams(`=${text}`).get("") ?? "") : text;
}

/** A repeated header may arrive as one, joined by a comma. */
function splitCredentials(value: string): string[] {
  return value.split(/,(?=\s{0,8}(?:bearer|basic)(?:\s|$))/i);
}

function readBearerToken(value: string): string | null {
  return /^\s*bearer(?:\s|$)/i.test(value) ? value.replace(/^\s*bearer/i, "").trim() : null;
}

/**
 * The keys in `https://hook:KEY@host/…` (RFC 7617), and how they were sent: the password of any user, and a user name
 * that claims to be a key. Other user names are no secrets.
 */
function readBasicKeys(value: string): SentKeys {
  const encoded = /^\s*basic\s+([a-z0-9+/=_-]+)\s*$/i.exec(value)?.[1];
  const [, user = "", password] = /^([^:]*):([^]*)$/.exec(Buffer.from(encoded ?? "", "base64").toString()) ?? [];
  if (encoded === undefined || password === undefined) return noKeys();
  return { sent: claimsToBeKey(user) ? [user, password] : [password], escaped: [encoded] };
}

/** The body of a request, or why it was not read. */
type BodyRead = { kind: "read"; bytes: Uint8Array<ArrayBuffer>; format: BodyFormat } | RejectedBody;

interface RejectedBody extends Rejected {
  /** `null`: reading did not begin. */
  receivedBytes: number | null;
  /** The complete body of a request whose type is not accepted. */
  bytes?: Uint8Array<ArrayBuffer>;
}

/**
 * The whole body, no longer than the limit. Rejects with AppError `unsupported_media_type`, which has the body.
 * `body_too_large` comes as soon as the limit is exceeded, or immediately if the declared length exceeds it.
 * `overloaded`: `memory` is exhausted. `incomplete_body`: the sender disconnected. A body that is too slow has the
 * error of the HTTP server.
 */
export function readBody(
  request: IngestRequest,
  { headers, declaredBytes }: Pick<RequestHead, "headers" | "declaredBytes">,
  {
    maxBodyBytes,
    memory,
    formats,
    jsonTypes,
  }: {
    maxBodyBytes: number;
    memory: BodyMemory;
    formats: readonly BodyFormat[];
    /** Other types that are JSON here. */
    jsonTypes?: readonly string[] | undefined;
  },
): BodyRead | Promise<BodyRead> {
  const format = formatOf(headers, formats, jsonTypes);
  const unsupported = format instanceof AppError ? format : null;
  if (declaredBytes !== null && declaredBytes > maxBodyBytes)
    return { kind: "rejected", error: unsupported ?? tooLarge(maxBodyBytes), receivedBytes: null };
  const body = createBodyBuffer(memory);
  let receivedBytes = 0;
  let failure: unknown = null;
  const reading = request.readBody((chunk) => {
    receivedBytes += chunk.length;
    if (receivedBytes > maxBodyBytes) return false;
    try {
      body.add(chunk);
    } catch (error) {
      failure = error;
    }
    return failure === null;
  });
  const end = (): BodyRead => {
    if (receivedBytes > maxBodyBytes)
      return { kind: "rejected", error: unsupported ?? tooLarge(maxBodyBytes), receivedBytes };
    if (failure !== null) return { kind: "rejected", error: failure, receivedBytes };
    if (format instanceof AppError) return { kind: "rejected", error: format, receivedBytes, bytes: body.bytes() };
    return { kind: "read", bytes: body.bytes(), format };
  };
  if (!reading) return end();
  return reading.then(end, (cause: unknown): BodyRead => ({
    kind: "rejected",
    error: cause instanceof AppError ? cause : incomplete(cause),
    receivedBytes,
  }));
}

/** The body of a GET: its query, as a form. */
export function readQuery({ query }: Pick<RequestHead, "query">): BodyRead {
  return { kind: "read", bytes: Buffer.from(query), format: queryFormat };
}

function tooLarge(maxBodyBytes: number): AppError {
  return new AppError("body_too_large", `The body is larger than the limit of ${maxBodyBytes} bytes.`);
}

function incomplete(cause: unknown): AppError {
  return new AppError("incomplete_body", "The connection closed before the whole body was received.", { cause });
}

function formatOf(
  headers: HeaderMap,
  formats: readonly BodyFormat[],
  jsonTypes: readonly string[] | undefined,
): BodyFormat | AppError {
  const [contentType, contentEncoding] = [headers.get("content-type"), headers.get("content-encoding")];
  const [first] = formats;
  if (first?.type === "json" && contentType === "application/json" && contentEncoding === undefined) return first;
  return chooseFormat(formats, { contentType, contentEncoding, jsonTypes });
}
