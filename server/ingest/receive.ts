import { hash } from "node:crypto";
import type { SignedEvent, SignedRequest } from "../../sdk/definition.ts";
import type { Mode } from "../config.ts";
import { AppError } from "../contract/app-error.ts";
import { type DisabledTriggers, noneDisabled } from "../contract/disabled.ts";
import type { Json } from "../contract/json.ts";
import type { ErrorCode } from "../contract/error-codes.ts";
import { ownHeaders } from "../contract/delivery.ts";
import type { Rate } from "../contract/project/endpoint.ts";
import type { RateLimits } from "../contract/project/settings.ts";
import { type BodyBudget, createBodyBudget, parseJsonBody } from "../domain/requests/request-body.ts";
import { didYouMean } from "../domain/did-you-mean.ts";
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
  acceptChallenge,
  deliveryEvent,
  draftDelivery,
  type ReceiverEvent,
  respond,
  type SentFrom,
} from "./accept.ts";
import {
  type IngestRequest,
  type IngestResponse,
  readBody,
  readHead,
  type Rejected,
  type RequestHead,
} from "./ingest-request.ts";
import { createLimiter, type TakeRates } from "./limit.ts";
import { createRejecter, type ReceivedRequest } from "./reject.ts";

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
  /** Absent where accepted runs reach the workers by themselves. */
  signals?: Pick<Signals, "runsQueued"> | undefined;
  /** Where several machines receive: their requests count together. */
  takeRates?: TakeRates | undefined;
  isShuttingDown: () => boolean;
  /** The disabled triggers, including changes by other processes. Default: none. */
  disabledTriggers?: (() => Promise<DisabledTriggers>) | undefined;
  onEvent?: ((event: ReceiverEvent) => void) | undefined;
}

/** `form`: the caller has checked that the person may send it. */
export type Receive = (request: IngestRequest, sentFrom?: SentFrom) => Promise<IngestResponse>;

/**
 * Receives webhooks: authenticate → limit → route → read → verify → parse → match → accept → respond. Each stage
 * returns its result or a rejection. Never rejects: every request gets its response, and a 202 is sent only when the
 * delivery and its runs are on disk. A delivery from a form needs no key and no signature: everything else is the same.
 */
export function createReceiver(deps: ReceiverDeps): Receive {
  const { store, logger, maxBodyBytes } = deps;
  const bodies = deps.bodies ?? createBodyBudget(maxBodyBytes);
  const limit = createLimiter(deps.limits ?? {}, deps.takeRates);
  const emit = ignoreFailures(logger, (event: ReceiverEvent) => deps.onEvent?.(event));
  const signalRuns = ignoreFailures<void>(logger, () => deps.signals?.runsQueued());
  const { reject, rejectUnauthenticated } = createRejecter({ store, logger, emit });

  function finish({ head, limitHeaders }: ReceivedRequest, acceptance: Acceptance): IngestResponse {
    if (acceptance.kind === "accepted") signalRuns();
    emit(deliveryEvent(head, acceptance.delivery));
    if (acceptance.kind === "mismatched") emit({ type: "rejected", code: acceptance.error.code });
    const context = { deliveryId: head.id, closesConnection: false, headers: limitHeaders };
    return respond(context, acceptance, head.secrets);
  }

  return async (request, sentFrom = "webhook") => {
    const head = readHead(request, deps.clock.now());

    const sender = sentFrom === "form" ? session : await authenticate(deps.authenticate, head);
    if (sender.kind === "rejected") return rejectUnauthenticated(head, sender.error);
    const { keyId } = sender;

    const project = deps.project.current();
    const memory = bodies.open(keyId ?? "local");
    const received: ReceivedRequest = {
      head,
      delivery: draftDelivery(head, keyId, sentFrom),
      decision: null,
      limitHeaders: {},
    };
    const { delivery } = received;

    try {
      const limiting = limit(head, keyId, ownRateOf(project, head));
      const limited = limiting instanceof Promise ? await limiting : limiting;
      received.limitHeaders = limited.headers;
      if (limited.kind === "rejected") return await reject(received, limited.error);
      if (deps.isShuttingDown()) return await reject(received, shuttingDown());

      const routed = route(project, head);
      if (routed.kind === "rejected") return await reject(received, routed.error);
      const { endpoint, triggers, source } = routed;

      const reading = readBody(request, head, { maxBodyBytes, memory });
      const read = reading instanceof Promise ? await reading : reading;
      delivery.endpoint = endpoint;
      if (read.kind === "rejected") {
        delivery.bodyBytes = read.receivedBytes ?? delivery.bodyBytes;
        return await reject(received, read.error);
      }
      const { bytes } = read;
      delivery.body = bytes;
      delivery.bodyBytes = bytes.length;
      delivery.bodySha256 = hash("sha256", bytes);

      const header = (name: string) => head.headers.get(name) ?? null;
      const signedRequest = { body: bytes, receivedAtMs: head.receivedAt, header };
      const verified = verify(source, signedRequest, { sentFrom, mayBeUnsigned: deps.mode === "development" });
      if (verified.kind === "rejected") return await reject(received, verified.error);
      if (verified.kind === "skipped") delivery.headers[ownHeaders.signatureCheck] = "skipped";

      const body = parseJsonBody(bytes);
      const challenge = answerToChallenge(source, body);
      if (challenge) return finish(received, await acceptChallenge(store, head, delivery, challenge));

      const decision = decideDelivery({
        manifest: project.manifest,
        triggers,
        index: project.indexes.get(endpoint) ?? null,
        isShared: triggers.length > 1,
        body,
        headers: delivery.headers,
        deliveryId: head.id,
        now: head.receivedAt,
        startedBy: sentFrom,
        keyId,
        disabled: (await deps.disabledTriggers?.()) ?? noneDisabled,
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
      const accepted = await accept(store, head, { delivery, decision, idempotency });
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

/** Whether these keys, every one that was sent, may send to this endpoint. Rejects if that cannot be determined now. */
export type Authenticate = (
  keys: readonly string[],
  endpoint: string,
) => Promise<{ ok: true; keyId: string | null } | { ok: false }>;

type Sender = { kind: "authenticated"; keyId: string | null } | Rejected;

/** The sender of a form. */
const session: Sender = { kind: "authenticated", keyId: null };

/** Rejected with AppError `unauthorized`, the same for every reason and every endpoint. */
async function authenticate(check: Authenticate, { keys, path }: RequestHead): Promise<Sender> {
  try {
    const checked = await check(keys, path.kind === "endpoint" ? path.endpoint : "");
    return checked.ok ? { kind: "authenticated", keyId: checked.keyId } : { kind: "rejected", error: unauthorized() };
  } catch (error) {
    return { kind: "rejected", error };
  }
}

function unauthorized(): AppError {
  return new AppError(
    "unauthorized",
    "Send a valid key as ?token=, ?api_key=, Authorization: Bearer or x-api-key. If you send several keys, each must be valid.",
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
 * The triggers on the endpoint that a request names. Rejected with AppError `invalid_path`, `unknown_endpoint` or
 * `method_not_allowed`.
 */
function route(project: ProjectSources, { path, method }: RequestHead): Routed {
  if (path.kind === "unreadable")
    return rejected("invalid_path", "The path has a percent escape that does not decode to UTF-8.");
  const triggers = project.byEndpoint.get(path.endpoint);
  const source = triggers?.[0];
  if (!triggers || !source)
    return rejected("unknown_endpoint", `No trigger listens on this endpoint.${hint(project, path.raw)}`);
  if (method !== "POST") return rejected("method_not_allowed", "Send webhooks as POST.");
  return { kind: "routed", endpoint: path.endpoint, triggers, source };
}

/** The nearest endpoint, if one is near. Never repeats the sent path: it may contain a key by mistake. */
function hint(project: ProjectSources, raw: string): string {
  const given = raw.replace(/^\/+|\/+$/g, "");
  return given === "" || given.length > 64 ? "" : didYouMean(given, [...project.byEndpoint.keys()]);
}

type Verified =
  | { kind: "verified"; signed: SignedEvent }
  | { kind: "unsigned"; signed: null }
  /** A person's session authenticated the delivery instead. */
  | { kind: "skipped"; signed: null }
  | Rejected;

const unsigned: Verified = { kind: "unsigned", signed: null };
const skipped: Verified = { kind: "skipped", signed: null };

/**
 * Checks the signature over the bytes as received. In development, requests without a signature are accepted, as they
 * are without a key; requests with an invalid signature are not. Rejected with AppError `invalid_signature`.
 */
function verify(
  { verify: verification }: TriggerSource,
  request: SignedRequest,
  { sentFrom, mayBeUnsigned }: { sentFrom: SentFrom; mayBeUnsigned: boolean },
): Verified {
  if (!verification) return unsigned;
  if (sentFrom === "form") return skipped;
  const fault = verification.check(request);
  if (fault?.kind === "unsigned" && mayBeUnsigned) return unsigned;
  if (fault) return rejected("invalid_signature", fault.detail);
  return { kind: "verified", signed: verification.readSigned(request) };
}

/** The response to a verification request of the sender (Slack's `url_verification`); `null`: the body is an event. */
function answerToChallenge({ verify: verification }: TriggerSource, body: Json): object | null {
  const answer = verification?.answer(body);
  return typeof answer === "object" ? answer : null;
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
