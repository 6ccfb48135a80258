import { hash } from "node:crypto";
import type { Mode } from "../config.ts";
import { AppError } from "../contract/app-error.ts";
import { type DisabledTriggers, noneDisabled } from "../contract/disabled.ts";
import type { ErrorCode } from "../contract/error-codes.ts";
import { ownHeaders } from "../contract/own-headers.ts";
import type { Rate } from "../contract/rate.ts";
import type { RateLimits } from "../contract/settings.ts";
import { type BodyBudget, type BodyMemory, createBodyBudget } from "../domain/body-budget.ts";
import { didYouMean } from "../domain/did-you-mean.ts";
import { idempotencyOf } from "../domain/idempotency.ts";
import { parseJsonBody } from "../domain/json-body.ts";
import { decideDelivery } from "../matching/decide-delivery.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { ProjectReader, ProjectSources, TriggerSource } from "../ports/project.ts";
import { createSeldomLog } from "../ports/seldom-log.ts";
import type { Signals } from "../ports/signals.ts";
import type { DeliveryStore, NewDelivery } from "../ports/store.ts";
import { accept, type Acceptance, acceptChallenge } from "./accept.ts";
import { type Arrival, noteArrival } from "./arrival.ts";
import type { IngestResponse, IngestRequest } from "./ingest-request.ts";
import { beginIntake, contextOf, type Intake } from "./intake.ts";
import { createLimiter, type TakeRates } from "./limit.ts";
import { readBody } from "./read-body.ts";
import { createRejectionBudget, createRejectUnauthenticated, refuse } from "./refuse.ts";
import { requireJson } from "./require-json.ts";
import { answerAccepted, answerChallenged, answerProblem, answerSkipped } from "./respond.ts";
import { type ReceivedDelivery, summarizeDelivery } from "./summarize-delivery.ts";
import { createUnverifiedBudget } from "./unverified-budget.ts";
import { answerToChallenge, verify } from "./verify.ts";

export interface ReceiverDeps {
  project: ProjectReader;
  store: Pick<DeliveryStore, "acceptDelivery" | "recordDelivery">;
  authenticate: Authenticate;
  signals: Signals;
  clock: Clock;
  logger: Logger;
  maxBodyBytes: number;
  /** The memory for all bodies that are in progress. Default: one of its own. */
  bodies?: BodyBudget | undefined;
  /** In development, a request without a signature is accepted. Default: deployed. */
  mode?: Mode | undefined;
  /** Default: none. */
  limits?: RateLimits | undefined;
  /** Where several machines receive: their requests count together. */
  takeRates?: TakeRates | undefined;
  isShuttingDown: () => boolean;
  /** The disabled triggers, including changes by other processes. Default: none. */
  disabledTriggers?: (() => Promise<DisabledTriggers>) | undefined;
  /** Called for every authenticated delivery that was recorded, with the time since its arrival. */
  onDelivery?: ((delivery: ReceivedDelivery, tookMs: number) => void) | undefined;
  /** Called for every rejected request, recorded or not. */
  onRejected?: ((code: ErrorCode) => void) | undefined;
  /** Called for every request without a valid key, recorded or not. */
  onUnauthenticated?: (() => void) | undefined;
  /**
   * Called for every authenticated request that was rejected and not recorded: the store failed, or the recording limit
   * was reached.
   */
  onUnrecorded?: ((code: ErrorCode) => void) | undefined;
}

/** `form`: a person with a session sends it from the app. The caller has checked that the person may. */
export type Receive = (request: IngestRequest, sentFrom?: "webhook" | "form") => Promise<IngestResponse>;

/**
 * Receives webhooks: authenticate → limit → route → read → verify → parse → match → accept → respond. Never rejects:
 * every request gets its answer, and a 202 leaves only when the delivery and its runs are on disk. A delivery from a
 * form needs no key and no signature: everything else is the same.
 */
export function createReceiver(deps: ReceiverDeps): Receive {
  const bodies = deps.bodies ?? createBodyBudget(deps.maxBodyBytes);
  const logs = {
    logStoreTrouble: createSeldomLog((message, fields) => deps.logger.error(message, fields)),
    logFullQueue: createSeldomLog((message, fields) => deps.logger.warn(message, fields)),
  };
  const announce = (delivery: NewDelivery, { startedAt }: Pick<Arrival, "startedAt">) =>
    tell(deps, () => deps.onDelivery?.(summarizeDelivery(delivery), performance.now() - startedAt));
  const countRejection = (code: ErrorCode) => tell(deps, () => deps.onRejected?.(code));
  const rejectUnauthenticated = createRejectUnauthenticated({
    ...deps,
    ...logs,
    countRejection,
    announce: () => tell(deps, () => deps.onUnauthenticated?.()),
  });
  const announceUnrecorded = (code: ErrorCode) => tell(deps, () => deps.onUnrecorded?.(code));
  const refusing = {
    ...deps,
    ...logs,
    countRejection,
    announce,
    announceUnrecorded,
    budget: createUnverifiedBudget(deps.logger),
    limitedBudget: createRejectionBudget(),
  };
  const limit = createLimiter(deps.limits ?? {}, deps.takeRates);
  return async (request, sentFrom = "webhook") => {
    const arrival = noteArrival(request, deps.clock.now());
    let intake: Intake;
    try {
      intake = beginIntake(arrival, sentFrom === "form" ? null : await authenticate(deps.authenticate, arrival));
    } catch (error) {
      return rejectUnauthenticated(arrival, error);
    }
    const memory = bodies.open(intake.delivery.keyId ?? "local");
    try {
      const project = deps.project.current();
      const { headers, refusal } = await limit(arrival, intake.delivery.keyId, ownRateOf(project, arrival));
      intake.limitHeaders = headers;
      if (refusal) throw refusal;
      const acceptance = await receiveAuthenticated(deps, { request, intake, project, memory, sentFrom });
      if (acceptance.outcome === "accepted") tell(deps, () => deps.signals.runsQueued());
      announce(acceptance.delivery, arrival);
      if (acceptance.outcome === "rejected") countRejection(acceptance.refusal.code);
      return respond(intake, acceptance);
    } catch (error) {
      return await refuse(refusing, intake, error);
    } finally {
      memory.free();
    }
  };
}

/** Sources that share an endpoint say the same. */
function ownRateOf({ byEndpoint }: ProjectSources, { path }: Arrival): Rate | null {
  return (path.kind === "endpoint" && byEndpoint.get(path.endpoint)?.[0]?.rateLimit) || null;
}

async function receiveAuthenticated(
  deps: ReceiverDeps,
  {
    request,
    intake,
    project,
    memory,
    sentFrom,
  }: {
    request: IngestRequest;
    intake: Intake;
    project: ProjectSources;
    memory: BodyMemory;
    sentFrom: "webhook" | "form";
  },
): Promise<Acceptance> {
  const { arrival, delivery } = intake;
  if (sentFrom === "form") delivery.headers = { ...delivery.headers, [ownHeaders.sentFrom]: "form" };
  if (deps.isShuttingDown())
    throw new AppError("shutting_down", "The service is shutting down. Send the request again in a few seconds.");
  const { endpoint, triggers } = route(project, arrival);
  delivery.endpoint = endpoint;
  requireJson(arrival.headers);
  const bytes = await readBody(request, {
    declaredBytes: arrival.declaredBytes,
    maxBodyBytes: deps.maxBodyBytes,
    memory,
    onBytes: (received) => (delivery.bodyBytes = received),
  });
  intake.isBodyRead = true;
  Object.assign(delivery, { body: bytes, bodyBytes: bytes.length, bodySha256: hash("sha256", bytes) });
  const header = (name: string) => arrival.headers.get(name)?.join(", ") ?? null;
  const needsSignature = sentFrom === "webhook";
  const signed = needsSignature
    ? verify(
        triggers,
        { body: bytes, receivedAtMs: arrival.receivedAt, header },
        { mayBeUnsigned: deps.mode === "development" },
      )
    : null;
  if (!needsSignature && triggers[0]?.verify)
    delivery.headers = { ...delivery.headers, [ownHeaders.signatureCheck]: "skipped" };
  const body = parseJsonBody(bytes);
  const challenge = answerToChallenge(triggers, body);
  if (challenge) return acceptChallenge(deps.store, intake, challenge);
  const decision = decideDelivery({
    manifest: project.manifest,
    triggers,
    index: project.indexes.get(endpoint) ?? null,
    isShared: triggers.length > 1,
    body,
    deliveryId: arrival.id,
    now: arrival.receivedAt,
    startedBy: sentFrom,
    keyId: delivery.keyId,
    disabled: (await deps.disabledTriggers?.()) ?? noneDisabled,
  });
  return accept(
    deps.store,
    intake,
    decision,
    idempotencyOf({ header, body, dedupe: triggers[0]?.dedupe ?? null, receivedAt: arrival.receivedAt, signed }),
  );
}

function respond(intake: Intake, acceptance: Acceptance): IngestResponse {
  if (acceptance.outcome === "rejected")
    return answerProblem(contextOf(intake), acceptance.refusal, intake.arrival.secrets);
  if (acceptance.outcome === "skipped") return answerSkipped(contextOf(intake));
  if (acceptance.outcome === "challenged") return answerChallenged(contextOf(intake), acceptance.answer);
  return answerAccepted(contextOf(intake), acceptance.runs, { isRepeated: acceptance.outcome === "repeated" });
}

/** A delivery on disk is accepted, even if a listener fails. */
function tell(deps: Pick<ReceiverDeps, "logger">, action: () => void): void {
  try {
    action();
  } catch (cause) {
    deps.logger.error("could not announce a delivery", { error: cause });
  }
}

/** Whether these keys, every one that was sent, may send to this endpoint. Rejects when that cannot be found out now. */
export type Authenticate = (
  presented: readonly string[],
  endpoint: string,
) => Promise<{ ok: true; keyId: string | null } | { ok: false }>;

/**
 * The id of the key that opens the endpoint. Throws AppError `unauthorized`, the same for every reason and every
 * endpoint.
 */
async function authenticate(check: Authenticate, arrival: Arrival): Promise<string | null> {
  const endpoint = arrival.path.kind === "endpoint" ? arrival.path.endpoint : "";
  const checked = await check(arrival.presented, endpoint);
  if (checked.ok) return checked.keyId;
  throw new AppError(
    "unauthorized",
    "Send a valid key as ?token=, ?api_key=, Authorization: Bearer or x-api-key. If you send several keys, each must be valid.",
  );
}

/**
 * The triggers on the endpoint that a request names. Throws AppError `invalid_path`, `unknown_endpoint` or
 * `method_not_allowed`.
 */
function route(
  project: ProjectSources,
  { path, method }: Arrival,
): { endpoint: string; triggers: readonly TriggerSource[] } {
  if (path.kind === "unreadable")
    throw new AppError("invalid_path", "The path has a percent escape that does not decode to UTF-8.");
  const triggers = project.byEndpoint.get(path.endpoint) ?? [];
  if (triggers.length === 0)
    throw new AppError("unknown_endpoint", `No trigger listens on this endpoint.${hint(project, path.raw)}`);
  if (method !== "POST") throw new AppError("method_not_allowed", "Send webhooks as POST.");
  return { endpoint: path.endpoint, triggers };
}

/** The nearest endpoint, if one is near. Never repeats the sent path: it may contain a key by mistake. */
function hint(project: ProjectSources, raw: string): string {
  const given = raw.replace(/^\/+|\/+$/g, "");
  return given === "" || given.length > 64 ? "" : didYouMean(given, [...project.byEndpoint.keys()]);
}
