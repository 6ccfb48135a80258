import type { Draw } from "./draw.ts";

/** A request before its bytes are written. All strings have one character for each byte. */
export interface FuzzRequest {
  method: string;
  /** The path and the query. */
  target: string;
  headers: [name: string, value: string][];
  body: Buffer | null;
  /** The JSON in the request, and how to replace it. */
  json: { text: string; put(text: string): void } | null;
}

/** The values of the running service with which requests are valid. */
export interface FuzzValues {
  host: string;
  webhookKey: string;
  /** With the scope `read`. */
  token: string;
  /** The cookie of a browser that signed in with the token. */
  cookie: string;
  /** A value that is in sensitive fields only. */
  sensitive: string;
  /** By the segment of the path before an id or a slug. */
  ids: Record<string, readonly string[]>;
  /** Ids and slugs of any kind. */
  known: readonly string[];
  cursors: readonly string[];
}

/** A route, and a recorded request to it: valid, with parameters and inputs that mostly fit its schemas. */
export interface FuzzRoute {
  name: string;
  request(draw: Draw, values: FuzzValues): FuzzRequest;
}

/** Each case is another client, because the service limits the requests of one. */
export function proxyHeader(draw: Draw): [name: string, value: string] {
  return ["X-Forwarded-For", `10.${draw.between(0, 255)}.${draw.between(0, 255)}.${draw.between(0, 255)}`];
}

export function newRequest(p: Partial<FuzzRequest> & Pick<FuzzRequest, "method" | "target">): FuzzRequest {
  return { headers: [], body: null, json: null, ...p };
}

/** A request with JSON as its body. */
export function jsonRequest(p: Pick<FuzzRequest, "method" | "target" | "headers">, value: unknown): FuzzRequest {
  const request = newRequest({ ...p, headers: [...p.headers, ["Content-Type", "application/json"]] });
  const put = (text: string) => void (request.body = Buffer.from(text));
  const text = JSON.stringify(value) ?? "null";
  put(text);
  request.json = { text, put };
  return request;
}
