import { ownHeaders } from "../contract/own-headers.ts";
import { newId } from "../domain/ids.ts";
import { redactHeaders, redactText } from "../domain/redaction.ts";
import type { NewDelivery } from "../ports/store.ts";
import { collectHeaders, type HeaderMap } from "./headers.ts";
import type { IngestRequest } from "./ingest-request.ts";

const queryNames = new Set(["token", "api_key"]);

/** The endpoint in the path of a request. `raw` is the part after `/triggers/`, as sent. */
type EndpointPath = { kind: "endpoint"; endpoint: string; raw: string } | { kind: "unreadable"; raw: string };

const prefix = "/triggers/";

/** What a request says before its body is read. */
export interface Arrival {
  id: string;
  receivedAt: number;
  /** By performance.now(), to measure how long the answer took. */
  startedAt: number;
  method: string;
  path: EndpointPath;
  headers: HeaderMap;
  /** Every key that was sent. */
  presented: string[];
  /** Secrets that must not be stored or repeated. */
  secrets: string[];
  /** `null` where the sender did not say. */
  declaredBytes: number | null;
  hasBody: boolean;
}

export function noteArrival(request: IngestRequest, now: number): Arrival {
  const [target = ""] = request.target.split("#", 1);
  const queryAt = target.indexOf("?");
  const path = queryAt < 0 ? target : target.slice(0, queryAt);
  const query = queryAt < 0 ? "" : target.slice(queryAt + 1);
  const headers = collectHeaders(request.headers);
  const presented = presentedKeys(query, headers);
  const declaredBytes = declaredLength(headers);
  return {
    id: newId("dlv", now),
    receivedAt: now,
    startedAt: performance.now(),
    method: request.method,
    path: readEndpointPath(path),
    headers,
    presented,
    secrets: presentedSecrets(query, presented),
    declaredBytes,
    hasBody: (declaredBytes ?? 0) > 0 || headers.has("transfer-encoding"),
  };
}

/** A delivery as far as it is known before its body was matched. */
export type DeliveryDraft = Omit<NewDelivery, "outcome" | "responseStatus" | "problem" | "verdicts" | "durationMs">;

const maxEndpoint = 256;
const ownHeaderNames = new Set<string>(Object.values(ownHeaders));

export function draftDelivery(arrival: Arrival, keyId: string | null): DeliveryDraft {
  return {
    id: arrival.id,
    endpoint: redactText(arrival.path.raw, arrival.secrets).slice(0, maxEndpoint),
    receivedAt: arrival.receivedAt,
    method: arrival.method,
    headers: redactHeaders(withoutOwnHeaders(arrival.headers), arrival.secrets),
    body: null,
    bodyBytes: arrival.declaredBytes ?? 0,
    bodySha256: null,
    keyId,
    redeliveryOf: null,
  };
}

/** A sender cannot claim what only the service knows. */
function withoutOwnHeaders(headers: HeaderMap): HeaderMap {
  return Object.values(ownHeaders).some((name) => headers.has(name))
    ? new Map([...headers].filter(([name]) => !ownHeaderNames.has(name)))
    : headers;
}

function declaredLength(headers: HeaderMap): number | null {
  const [length] = headers.get("content-length") ?? [];
  return length !== undefined && /^\d+$/.test(length) ? Math.min(Number(length), Number.MAX_SAFE_INTEGER) : null;
}

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

/**
 * Every key that a request presents, in each of its forms: `?token=`, `?api_key=`, `Authorization: Bearer` and
 * `x-api-key`. All count, also equal ones and empty ones: where several are sent, each must be valid.
 */
function presentedKeys(query: string, headers: HeaderMap): string[] {
  const inQuery = query === "" ? [] : Array.from(new URLSearchParams(query));
  return [
    ...inQuery.flatMap(([name, value]) => (queryNames.has(name) ? [value] : [])),
    ...(headers.get("authorization") ?? []).flatMap(bearerTokens),
    ...(headers.get("x-api-key") ?? []).flatMap((value) => value.split(",").map((key) => key.trim())),
  ];
}

/** Keys that must not be stored, also as they appear in the query, including escapes. */
function presentedSecrets(query: string, presented: readonly string[]): string[] {
  if (query === "") return [...new Set(presented)];
  const asSent = query.split("&").flatMap((pair) => {
    const [name = "", ...value] = pair.split("=");
    return queryNames.has(new URLSearchParams(`${name}=`).keys().next().value ?? "") ? [value.join("=")] : [];
  });
  return [...new Set([...presented, ...asSent])];
}

/** A header that came twice may reach us joined by a comma. */
function bearerTokens(value: string): string[] {
  if (!/^\s*bearer(?:\s|$)/i.test(value)) return [];
  return value.split(/,(?=\s*bearer\s)/i).map((part) => part.replace(/^\s*bearer/i, "").trim());
}
