import { newId } from "../domain/ids.ts";

/** One incoming webhook, independent of any HTTP library. */
export interface IngestRequest {
  method: string;
  /** The request target as sent, in origin form: path and query, undecoded, e.g. `/triggers/billing?token=…`. */
  target: string;
  /** Name, value, name, value, as sent, in order; duplicates stay. */
  headers: readonly string[];
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
export type HeaderMap = ReadonlyMap<string, string>;

/** The endpoint in the path of a request. `raw` is the part after `/triggers/`, as sent. */
type EndpointPath = { kind: "endpoint"; endpoint: string; raw: string } | { kind: "unreadable"; raw: string };

/** A request before its body is read. */
export interface RequestHead {
  /** Of the delivery. */
  id: string;
  receivedAt: number;
  /** By performance.now(), to measure how long the response took. */
  startedAt: number;
  method: string;
  path: EndpointPath;
  headers: HeaderMap;
  /** Every key that was sent. */
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
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]?.toLowerCase() ?? "";
    const value = raw[at + 1] ?? "";
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  if (headers.has("authorization")) keys.sent.push(...valuesOf(raw, "authorization").flatMap(readBearerTokens));
  if (headers.has("x-api-key"))
    keys.sent.push(...valuesOf(raw, "x-api-key").flatMap((value) => value.split(",").map((key) => key.trim())));
  const declaredBytes = readContentLength(headers);
  return {
    id: newId("dlv", now),
    receivedAt: now,
    startedAt: performance.now(),
    method: request.method,
    path: readEndpointPath(queryAt < 0 ? target : target.slice(0, queryAt)),
    headers,
    keys: keys.sent,
    secrets:
      keys.sent.length > 1 || keys.escaped.length > 0 ? [...new Set([...keys.sent, ...keys.escaped])] : keys.sent,
    declaredBytes,
    hasBody: (declaredBytes ?? 0) > 0 || headers.has("transfer-encoding"),
  };
}

/** One for each header of this name. */
function valuesOf(raw: readonly string[], name: string): string[] {
  return raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name);
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
 * Every key in a request, in each of its forms: `?token=`, `?api_key=`, `Authorization: Bearer` and `x-api-key`. Equal
 * and empty ones count too: if several are sent, each must be valid.
 */
interface SentKeys {
  sent: string[];
  /** Those of the query that have escapes, as they were written. */
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

function decodeParameter(text: string): string {
  return /[%+]/.test(text) ? (new URLSearchParams(`=${text}`).get("") ?? "") : text;
}

/** A repeated header may arrive as one, joined by a comma. */
function readBearerTokens(value: string): string[] {
  if (!/^\s*bearer(?:\s|$)/i.test(value)) return [];
  return value.split(/,(?=\s*bearer\s)/i).map((part) => part.replace(/^\s*bearer/i, "").trim());
}
