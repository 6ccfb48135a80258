import { newId } from "../domain/ids.ts";

/** One incoming webhook, independent of any HTTP library. */
export interface IngestRequest {
  method: string;
  /** The request target as sent, in origin form: path and query, undecoded, e.g. `/triggers/billing?token=…`. */
  target: string;
  /** Name and value as sent, in order; duplicates stay. */
  headers: readonly (readonly [name: string, value: string])[];
  /**
   * Reads the body, chunk by chunk, until its end or until `take` returns false. Not read before the pipeline asks for
   * it. Rejects when the sender goes away, and with AppError `request_timeout` when it takes too long.
   */
  readBody(take: (chunk: Uint8Array) => boolean): Promise<void>;
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

/** Headers by name in lower case, each with its values in the order sent. */
export type HeaderMap = ReadonlyMap<string, readonly string[]>;

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
  const path = queryAt < 0 ? target : target.slice(0, queryAt);
  const query = queryAt < 0 ? "" : target.slice(queryAt + 1);
  const headers = collectHeaders(request.headers);
  const keys = readKeys(query, headers);
  const declaredBytes = readContentLength(headers);
  return {
    id: newId("dlv", now),
    receivedAt: now,
    startedAt: performance.now(),
    method: request.method,
    path: readEndpointPath(path),
    headers,
    keys,
    secrets: withKeysAsSent(query, keys),
    declaredBytes,
    hasBody: (declaredBytes ?? 0) > 0 || headers.has("transfer-encoding"),
  };
}

function collectHeaders(headers: IngestRequest["headers"]): HeaderMap {
  const collected = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    const values = collected.get(lower);
    if (values) values.push(value);
    else collected.set(lower, [value]);
  }
  return collected;
}

function readContentLength(headers: HeaderMap): number | null {
  const [length] = headers.get("content-length") ?? [];
  return length !== undefined && /^\d+$/.test(length) ? Math.min(Number(length), Number.MAX_SAFE_INTEGER) : null;
}

const prefix = "/triggers/";

/**
 * The endpoint that a path names: decoded once, strictly, and otherwise left as it is, so that it can be compared
 * exactly. An escaped slash never becomes a separator: such a path names no endpoint.
 */
function readEndpointPath(path: string): EndpointPath {
  const raw = path.startsWith(prefix) ? path.slice(prefix.length) : "";
  try {
    const segments = raw.split("/").map((segment) => decodeURIComponent(segment));
    const isPlain = segments.every((segment) => !/[/\0]/.test(segment));
    return { kind: "endpoint", endpoint: isPlain ? segments.join("/") : "", raw };
  } catch {
    return { kind: "unreadable", raw };
  }
}

const keyParameters = new Set(["token", "api_key"]);

/**
 * Every key in a request, in each of its forms: `?token=`, `?api_key=`, `Authorization: Bearer` and `x-api-key`. Equal
 * and empty ones count too: if several are sent, each must be valid.
 */
function readKeys(query: string, headers: HeaderMap): string[] {
  const parameters = query === "" ? [] : Array.from(new URLSearchParams(query));
  return [
    ...parameters.flatMap(([name, value]) => (keyParameters.has(name) ? [value] : [])),
    ...(headers.get("authorization") ?? []).flatMap(readBearerTokens),
    ...(headers.get("x-api-key") ?? []).flatMap((value) => value.split(",").map((key) => key.trim())),
  ];
}

/** A repeated header may arrive as one, joined by a comma. */
function readBearerTokens(value: string): string[] {
  if (!/^\s*bearer(?:\s|$)/i.test(value)) return [];
  return value.split(/,(?=\s*bearer\s)/i).map((part) => part.replace(/^\s*bearer/i, "").trim());
}

/** The keys, and the keys in the query as they were sent, with their escapes. */
function withKeysAsSent(query: string, keys: readonly string[]): string[] {
  if (query === "") return [...new Set(keys)];
  const asSent = query.split("&").flatMap((pair) => {
    const [name = "", ...value] = pair.split("=");
    return keyParameters.has(new URLSearchParams(`${name}=`).keys().next().value ?? "") ? [value.join("=")] : [];
  });
  return [...new Set([...keys, ...asSent])];
}
