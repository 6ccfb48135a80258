import { ownHeaders } from "../contract/own-headers.ts";
import { newId } from "../domain/ids.ts";
import { redactHeaders, redactText } from "../domain/redaction.ts";
import type { NewDelivery } from "../ports/store.ts";
import { type EndpointPath, readEndpointPath } from "./endpoint-path.ts";
import { collectHeaders, type HeaderMap } from "./headers.ts";
import type { IngestRequest } from "./ingest-request.ts";
import { presentedKeys, presentedSecrets } from "./presented-keys.ts";

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
