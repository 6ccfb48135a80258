import { hash } from "node:crypto";
import type { Mode } from "../config.ts";
import { AppError } from "../contract/app-error.ts";
import { type DisabledTriggers, noneDisabled } from "../contract/disabled.ts";
import type { ErrorCode } from "../contract/error-codes.ts";
import { ownHeaders } from "../contract/own-headers.ts";
import type { Rate } from "../contract/project/endpoint.ts";
import type { RateLimits } from "../contract/project/settings.ts";
import { acceptsMethod, allowedMethods } from "../domain/requests/challenge.ts";
import { acceptedTypes, onlyJson, parseBody } from "../domain/requests/body-format.ts";
import { acceptedEncodings, withoutEncoding } from "../domain/requests/content-encoding.ts";
import { type BodyBudget, createBodyBudget } from "../domain/requests/request-body.ts";
import { sentTypes } from "../shared/schema/encode-body.ts";
import { currentTurn } from "../domain/event-loop.ts";
import { didYouMean } from "../../sdk/did-you-mean.ts";
import { fromWire } from "../domain/deliveries/header-values.ts";
import { idempotencyOf } from "../domain/deliveries/idempotency.ts";
import { decideDelivery } from "../matching/match-triggers.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { ProjectReader, ProjectSources, TriggerSource } from "../ports/project.ts";
import type { Signals } from "../ports/signals.ts";
import type { DeliveryStore } from "../ports/store/delivery-store.ts";
import {
  accept,
  type Acceptance,
  deliveryEvent,
  type DeliveryDraft,
  draftDelivery,
  recordUrl,
  type ReceiverEvent,
  respond,
  type SentFrom,
} from "./accept.ts";
import {
  type IngestRequest,
  type IngestResponse,
  readBody,
  readHead,
  readQuery,
  type Rejected,
  type RequestHead,
} from "./ingest-request.ts";
import { acceptHandshake, answerGreeting, answerTest, answerToChallenge, explainMethod } from "./handshake.ts";
import { createLimiter, type TakeRates } from "./limit.ts";
import { readContent } from "./read-content.ts";
import { createRejecter, type ReceivedRequest } from "./reject.ts";
import { signedRequestOf, verifyRequest } from "./verify.ts";
import { trimCharacters } from "../domain/trim.ts";

export interface ReceiverDeps {
  project: ProjectReader;
  store: Pick<DeliveryStore, "acceptDelivery" | "recordDelivery">;
  authenticate: Authenticate;
  clock: Clock;
  logger: Logger;
  maxBodyBytes: number;
  /** The memory for all bodies that are in progress. Default: one of its own. */
  bodies?: BodyBudget | undefined;
  /** In development, a request without a signature is accepted. Default: deployed. */
  mode?: Mode | undefined;
  /** Default: none. */
  limits?: RateLimits | undefined;
  /** The setting `baseUrl`, for signatures that cover the URL. Default: the URL is that of the request. */
  baseUrl?: string | null | undefined;
  /** The time that a check of a signature may take. Default: 2 seconds. */
  maxCheckMs?: number | undefined;
  /** Absent where accepted runs reach the workers by themselves. */
  signals?: Pick<Signals, "runsQueued"> | undefined;
  /** Where several machines receive: their requests count together. */
  takeRates?: TakeRates | undefined;
  isShuttingDown: () => boolean;
  /** The disabled triggers, including changes by other processes. Default: none. */
  disabledTriggers?: (() => Promise<DisabledTriggers>) | undefined;
  onEvent?: ((event: ReceiverEvent) => void) | undefined;
}

/**
 * `form`: the caller has checked that the person may send it. `onlyTrigger`: the slug of a trigger on the endpoint. The
 * others do not evaluate the delivery. Default: all evaluate it.
 */
export type Receive = (
  request: IngestRequest,
  sentFrom?: SentFrom,
  onlyTrigger?: string | null,
) => Promise<IngestResponse>;

/**
 * Receives webhooks: authenticate → limit → route → read → verify → parse → match → accept → respond. Each stage
 * returns its result or a rejection. Never rejects: every request gets its response, and a 202 is sent only when the
 * delivery and its runs are on disk. The response comes within ten seconds, and a request that is answered with 503, or
 * abandoned by its sender before its write begins, is not written. A delivery from a form needs no key and no
 * signature: everything else is the same.
 */
export function createReceiver(deps: ReceiverDeps): Receive {
  const { store, logger, maxBodyBytes, baseUrl = null } = deps;
  const bodies = deps.bodies ?? createBodyBudget(maxBodyBytes);
  const limit = createLimiter(deps.limits ?? {}, deps.takeRates);
  const emit = ignoreFailures(logger, (event: ReceiverEvent) => deps.onEvent?.(event));
  const signalRuns = ignoreFailures<void>(logger, () => deps.signals?.runsQueued());
  const { reject, rejectUnauthenticated } = createRejecter({ store, logger, emit });
  const readDisabled = async () => (await deps.disabledTriggers?.()) ?? noneDisabled;

  function finish({ head, responseHeaders, reply }: ReceivedRequest, acceptance: Acceptance): IngestResponse {
    if (acceptance.kind === "accepted") signalRuns();
    emit(deliveryEvent(head, acceptance));
    if (acceptance.kind === "mismatched") emit({ type: "rejected", code: acceptance.error.code });
    const context = { deliveryId: head.id, closesConnection: false, headers: responseHeaders };
    return respond(context, acceptance, { secrets: head.secrets, reply });
  }

  return async (request, sentFrom = "webhook", onlyTrigger = null) => {
    const head = readHead(request, deps.clock.now());

    const sender = sentFrom === "form" ? session : await authenticate(deps.authenticate, head);
    if (sender.kind === "rejected") return rejectUnauthenticated(head, sender.error);
    const { keyId } = sender;
    const authenticatedIn = currentTurn();

    const project = deps.project.current();
    const memory = bodies.open(keyId ?? "local");
    const received: ReceivedRequest = {
      head,
      delivery: draftDelivery(head, keyId, sentFrom),
      decision: null,
      responseHeaders: {},
      reply: null,
    };
    const { delivery } = received;

    try {
      const limiting = limit(head, keyId, ownRateOf(project, head));
      const limited = limiting instanceof Promise ? await head.limit.wait(limiting) : limiting;
      received.responseHeaders = limited.headers;
      if (limited.kind === "rejected") return await reject(received, limited.error);
      if (deps.isShuttingDown()) return await reject(received, shuttingDown());

      const routed = route(project, head, sender.endpoints);
      if (routed.kind === "rejected") return await reject(received, routed.error);
      const { endpoint, source } = routed;
      // A form shows the runs that a delivery started.
      received.reply = sentFrom === "form" ? null : (source.reply ?? null);
      const triggers =
        onlyTrigger === null ? routed.triggers : routed.triggers.filter(({ slug }) => slug === onlyTrigger);
      if (onlyTrigger !== null) delivery.headers[ownHeaders.sentTo] = onlyTrigger;

      const greeting = source.verify ? answerGreeting(source.verify, request) : null;
      if (greeting?.kind === "rejected") return await reject(received, greeting.error);
      if (greeting) return finish(received, await acceptHandshake(store, head, delivery, greeting));
      const test = answerTest(source, request, { head, draft: delivery });
      if (test) return finish(received, await acceptHandshake(store, head, delivery, test));
      const isGet = request.method === "GET";
      if (!acceptsMethod(source, request.method)) {
        received.responseHeaders = { ...received.responseHeaders, allow: allowedMethods(source) };
        return await reject(received, explainMethod(request, source.methods ?? onlyPost));
      }

      const formats = source.body ?? onlyJson;
      if (isGet) {
        delete delivery.headers[ownHeaders.query];
        delete delivery.headers["content-encoding"];
        delivery.headers["content-type"] = sentTypes.form;
      }
      const reading = isGet
        ? readQuery(head)
        : readBody(request, head, { maxBodyBytes, memory, formats, jsonTypes: source.verify?.jsonTypes });
      const read = reading instanceof Promise ? await head.limit.pause(reading) : reading;
      delivery.endpoint = endpoint;
      if (read.kind === "rejected") {
        delivery.bodyBytes = read.receivedBytes ?? delivery.bodyBytes;
        if (read.bytes) keepBody(delivery, read.bytes);
        if (read.error instanceof AppError && read.error.code === "unsupported_media_type")
          received.responseHeaders = {
            ...received.responseHeaders,
            accept: acceptedTypes(formats),
            "accept-encoding": acceptedEncodings,
          };
        return await reject(received, read.error);
      }
      const { bytes, format } = read;
      keepBody(delivery, bytes);

      const header = (name: string) => {
        const value = head.headers.get(name);
        return value === undefined ? null : fromWire(value);
      };
      const sent = isGet ? null : head.headers;
      const contentEncoding = sent?.get("content-encoding");
      const check = (content: Uint8Array) => {
        const signed = isGet ? noBytes : content;
        const signedRequest = source.verify ? signedRequestOf(request, head, { body: signed, baseUrl }) : null;
        if (signedRequest && source.verify?.readsUrl) recordUrl(delivery, signedRequest.url, head.secrets);
        const verifying = verifyRequest(source.verify, signedRequest, {
          sentFrom,
          mayBeUnsigned: deps.mode === "development",
          maxMs: deps.maxCheckMs,
        });
        return verifying instanceof Promise
          ? verifying.then((verified) => ({ signedRequest, verified }))
          : { signedRequest, verified: verifying };
      };
      const checking = readContent(bytes, { format, contentEncoding, maxBytes: maxBodyBytes, memory, check });
      const { signedRequest, verified, content } =
        checking instanceof Promise ? await head.limit.wait(checking) : checking;
      if (verified.kind === "rejected") return await reject(received, verified.error);
      if (verified.kind === "skipped") delivery.headers[ownHeaders.signatureCheck] = "skipped";

      if (content !== bytes) {
        keepBody(delivery, content);
        delivery.headers = withoutEncoding(delivery.headers);
      }
      const contentType = sent?.get("content-type");
      const { json: body, rounded } = parseBody(content, { format, contentType, deliveryId: head.id });
      if (rounded.length > 0) delivery.headers[ownHeaders.rounded] = JSON.stringify(rounded);
      const isGenuine = verified.kind === "verified";
      const answering =
        signedRequest && answerToChallenge(source.verify, body, signedRequest, { isGenuine, maxMs: deps.maxCheckMs });
      const challenge = answering instanceof Promise ? await head.limit.wait(answering) : answering;
      const handshake = challenge ?? answerTest(source, request, { head, draft: delivery, body });
      if (handshake) return finish(received, await acceptHandshake(store, head, delivery, handshake));

      // A trigger can be disabled while the body arrives or the signature is checked.
      const known = currentTurn() === authenticatedIn ? sender.disabled : null;
      const disabled = known ?? (await head.limit.wait(readDisabled()));
      const decision = decideDelivery({
        manifest: project.manifest,
        triggers,
        index: onlyTrigger === null ? (project.indexes.get(endpoint) ?? null) : null,
        isShared: routed.triggers.length > 1,
        onMismatch: onlyTrigger === null ? (source.onMismatch ?? null) : "skip",
        body,
        headers: delivery.headers,
        deliveryId: head.id,
        now: head.receivedAt,
        startedBy: sentFrom,
        keyId,
        disabled,
      });
      received.decision = decision;

      const { signed } = verified;
      const idempotency = idempotencyOf({
        header,
        body,
        dedupe: source.dedupe ?? null,
        receivedAt: head.receivedAt,
        signed,
      });
      const accepting = accept(store, head, { delivery, decision, idempotency, reply: received.reply });
      const accepted = await head.limit.wait(accepting);
      if (accepted.kind === "rejected") return await reject(received, accepted.error);

      return finish(received, accepted);
    } catch (error) {
      // The parser and the store throw AppErrors. Every other exception is a defect.
      return await reject(received, error);
    } finally {
      memory.free();
    }
  };
}

/**
 * Whether these keys, every one that was sent, may send to this endpoint. Rejects if that cannot be determined now.
 * `endpoints`: all that they may send to. Default: every endpoint. `disabled`: the triggers that were disabled at that
 * moment. Default: not known.
 */
export type Authenticate = (
  keys: readonly string[],
  endpoint: string,
) => Promise<
  | { ok: true; keyId: string | null; endpoints?: readonly string[] | null; disabled?: DisabledTriggers | null }
  /** `isNewStore`: none of its keys was ever used, and it may not be the one that has the key of the sender. */
  | { ok: false; isNewStore?: boolean }
>;

type Sender =
  | {
      kind: "authenticated";
      keyId: string | null;
      endpoints: readonly string[] | null;
      disabled: DisabledTriggers | null;
    }
  | Rejected;

const onlyPost: NonNullable<TriggerSource["methods"]> = ["POST"];
const noBytes = new Uint8Array();

/** The sender of a form. */
const session: Sender = { kind: "authenticated", keyId: null, endpoints: null, disabled: null };

/** Rejected with AppError `unauthorized`, the same for every reason and every endpoint, or `new_store`. */
async function authenticate(check: Authenticate, { keys, path, limit }: RequestHead): Promise<Sender> {
  try {
    const checked = await limit.wait(check(keys, path.kind === "endpoint" ? path.endpoint : ""));
    if (!checked.ok) return { kind: "rejected", error: checked.isNewStore ? newStore() : unauthorized() };
    const { keyId, endpoints = null, disabled = null } = checked;
    return { kind: "authenticated", keyId, endpoints, disabled };
  } catch (error) {
    return { kind: "rejected", error };
  }
}

function keepBody(delivery: DeliveryDraft, bytes: Uint8Array): void {
  delivery.body = bytes;
  delivery.bodyBytes = bytes.length;
  delivery.bodySha256 = hash("sha256", bytes);
}

function unauthorized(): AppError {
  return new AppError(
    "unauthorized",
    "Send a valid key as ?token=, ?api_key=, Authorization: Bearer, x-api-key or https://hook:KEY@host. Each value that starts with sbk_ must be a valid key; credentials of other services beside it are ignored.",
  );
}

function newStore(): AppError {
  return new AppError(
    "new_store",
    "This service does not know the key, and none of its own keys was used yet. Send the request again later.",
  );
}

/** All sources of an endpoint have the same rate limit. */
function ownRateOf({ byEndpoint }: ProjectSources, { path }: RequestHead): Rate | null {
  return (path.kind === "endpoint" && byEndpoint.get(path.endpoint)?.[0]?.rateLimit) || null;
}

function shuttingDown(): AppError {
  return new AppError("shutting_down", "The service is shutting down. Send the request again in a few seconds.");
}

/** `source`: the first of the triggers. All have the same verification, and the same `dedupe`. */
type Routed =
  | { kind: "routed"; endpoint: string; triggers: readonly TriggerSource[]; source: TriggerSource }
  | Rejected;

/**
 * The triggers on the endpoint that a request names. Rejected with AppError `invalid_path` or `unknown_endpoint`, which
 * names the nearest endpoint of those that the sender may send to.
 */
function route(project: ProjectSources, { path }: RequestHead, allowed: readonly string[] | null): Routed {
  if (path.kind === "unreadable")
    return rejected("invalid_path", "The path has a percent escape that does not decode to UTF-8.");
  const triggers = project.byEndpoint.get(path.endpoint);
  const source = triggers?.[0];
  if (!triggers || !source)
    return rejected("unknown_endpoint", `No trigger listens on this endpoint.${hint(project, path.raw, allowed)}`);
  return { kind: "routed", endpoint: path.endpoint, triggers, source };
}

/** The nearest endpoint, if one is near. Never repeats the sent path: it may contain a key by mistake. */
function hint(project: ProjectSources, raw: string, allowed: readonly string[] | null): string {
  const given = trimCharacters(raw, "/");
  if (given === "" || given.length > 64) return "";
  const known = [...project.byEndpoint.keys()];
  return didYouMean(given, allowed ? known.filter((endpoint) => allowed.includes(endpoint)) : known);
}

function rejected(code: ErrorCode, detail: string): Rejected {
  return { kind: "rejected", error: new AppError(code, detail) };
}

/** A delivery on disk is accepted, even if a listener fails. */
function ignoreFailures<T>(logger: Logger, listener: (value: T) => void): (value: T) => void {
  return (value) => {
    try {
      listener(value);
    } catch (error) {
      logger.error("could not announce a delivery", { error });
    }
  };
}
