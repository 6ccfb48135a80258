import { createHash } from "node:crypto";
import type { SignedEvent, SignedRequest } from "../../sdk/definition.ts";
import { AppError } from "../contract/app-error.ts";
import { type Delivery, ownHeaders } from "../contract/delivery.ts";
import type { BodyFormat } from "../contract/project/endpoint.ts";
import type { StartedBy } from "../contract/run.ts";
import { idempotencyOf } from "../domain/deliveries/idempotency.ts";
import { redacted as redactedText } from "../domain/deliveries/redaction.ts";
import { newId } from "../domain/ids.ts";
import { toProblem, queueFull } from "../domain/problem.ts";
import { chooseFormat, onlyJson, parseBody } from "../domain/requests/body-format.ts";
import { checkSignature } from "../domain/requests/check-signature.ts";
import type { ParsedJson } from "../domain/requests/request-body.ts";
import { decideDelivery } from "../matching/match-triggers.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProjectReader, ProjectSources, TriggerSource } from "../ports/project.ts";
import type { Signals } from "../ports/signals.ts";
import type { SwitchStore } from "../ports/store.ts";
import type { DeliveryStore, NewDelivery } from "../ports/store/delivery-store.ts";
import { getDelivery } from "./read-deliveries.ts";

/**
 * Redelivers the stored body of a delivery, byte for byte, to the current triggers of the project or to one of them.
 * This creates a new delivery with new runs. A delivery that was rejected for its signature is verified again first.
 * Returns the id of the new delivery. Throws AppError `not_found`, `not_replayable` or `queue_full`.
 */
export async function redeliver(
  deps: {
    store: Pick<DeliveryStore, "getDelivery" | "acceptDelivery"> & Pick<SwitchStore, "listDisabledTriggers">;
    project: ProjectReader;
    signals: Signals;
    clock: Clock;
  },
  request: { id: string; trigger: string | null; startedBy: StartedBy },
): Promise<string> {
  const startedAt = performance.now();
  const old = await getDelivery(deps, request.id);
  const bytes = keptBody(old);
  const sources = deps.project.current();
  const triggers = receiversOf(old, request.trigger, sources);
  const wasRejected = old.problem?.code === "invalid_signature" || old.problem?.code === "verification_failed";
  const signed = wasRejected ? await verifyAgain(old, bytes, triggers) : null;
  const now = deps.clock.now();
  const id = newId("dlv", now);
  const { json: body, rounded } = await parseAgain(old, {
    bytes,
    formats: triggers[0]?.body ?? onlyJson,
    deliveryId: id,
  });
  const decision = decideDelivery({
    manifest: sources.manifest,
    triggers,
    index: request.trigger === null ? (sources.indexes.get(old.endpoint) ?? null) : null,
    isShared: isShared(old, sources),
    onMismatch: triggers[0]?.onMismatch ?? null,
    body,
    headers: old.headers,
    deliveryId: id,
    now,
    startedBy: request.startedBy,
    keyId: null,
    disabled: await deps.store.listDisabledTriggers(),
  });
  const { runs, outcome, responseStatus, verdicts, unlistedVerdicts } = decision;
  const delivery: NewDelivery = {
    id,
    outcome,
    responseStatus,
    verdicts,
    unlistedVerdicts,
    problem: decision.outcome === "rejected" ? toProblem(decision.refusal) : null,
    endpoint: old.endpoint,
    receivedAt: now,
    method: old.method,
    headers: {
      ...without(old.headers, ownHeaders.rounded),
      ...(rounded.length > 0 && { [ownHeaders.rounded]: JSON.stringify(rounded) }),
      [ownHeaders.redeliveryOf]: old.id,
    },
    body: bytes,
    bodyBytes: bytes.length,
    bodySha256: createHash("sha256").update(bytes).digest("hex"),
    durationMs: performance.now() - startedAt,
    keyId: null,
    redeliveryOf: old.id,
  };
  // A manual redelivery ignores the idempotency key of the first delivery. A delivery that was never accepted keeps its key, because the sender may have retried the event, or may still do so.
  const isFirst = wasRejected && request.trigger === null;
  const idempotency = isFirst
    ? idempotencyOf({
        header: headerOf(old),
        body,
        dedupe: triggers[0]?.dedupe ?? null,
        receivedAt: Date.parse(old.receivedAt),
        signed,
      })
    : null;
  const result = await deps.store.acceptDelivery({ delivery, runs, idempotency });
  if (result.kind === "full") throw queueFull(result.queue);
  if (result.kind !== "accepted")
    throw new AppError(
      "not_replayable",
      `This event was accepted in the meantime as delivery ${result.deliveryId}. Redeliver that delivery to run the event again.`,
    );
  if (runs.length > 0) deps.signals.runsQueued();
  return id;
}

function isShared(old: Delivery, sources: ProjectSources): boolean {
  return (sources.byEndpoint.get(old.endpoint)?.length ?? 0) > 1;
}

function receiversOf(old: Delivery, slug: string | null, sources: ProjectSources): readonly TriggerSource[] {
  const onEndpoint = sources.byEndpoint.get(old.endpoint) ?? [];
  const triggers = slug === null ? onEndpoint : onEndpoint.filter((trigger) => trigger.slug === slug);
  if (triggers.length > 0) return triggers;
  const what = slug === null ? "No trigger" : `No trigger ${JSON.stringify(slug)}`;
  throw new AppError(
    "not_replayable",
    `${what} listens on ${JSON.stringify(old.endpoint)} in the deployed project. Deploy a project that has it.`,
  );
}

function keptBody(old: Delivery): Buffer<ArrayBuffer> {
  if (old.body !== null) return Buffer.from(old.body, "base64");
  throw new AppError(
    "not_replayable",
    `The body of delivery ${old.id} is not stored: the request was rejected before its body was read, or retention removed it.`,
  );
}

/**
 * Verifies the signature as of the time of receipt: the secret may be fixed by now, and the timestamp was valid only
 * then. Returns the signed content.
 */
async function verifyAgain(
  old: Delivery,
  body: Buffer,
  triggers: readonly TriggerSource[],
): Promise<SignedEvent | null> {
  const verification = triggers[0]?.verify;
  if (!verification) return null;
  const redacted = new Set<string>();
  const read = (name: string, value: string | null) => {
    if (value?.includes(redactedText)) redacted.add(name);
    return value;
  };
  const header = headerOf(old);
  const request: SignedRequest = {
    body,
    receivedAtMs: Date.parse(old.receivedAt),
    method: old.method,
    get url() {
      return read("URL", header(ownHeaders.requestUrl));
    },
    header: (name) => read(`header ${name}`, header(name)),
    headers: () => Object.entries(old.headers),
  };
  const fault = await checkSignature(verification, request);
  if (!fault) return verification.readSigned(request);
  const [what] = redacted;
  throw new AppError(
    "not_replayable",
    what === undefined
      ? `The signature of delivery ${old.id} is still invalid. ${fault.detail}`
      : `The signature of delivery ${old.id} cannot be checked again: it covers the ${what}, which contains a key and is not stored. Have the sender send the event again.`,
    { cause: fault.cause },
  );
}

function headerOf({ headers }: Delivery): (name: string) => string | null {
  return (name) => (Object.hasOwn(headers, name) ? (headers[name] ?? null) : null);
}

function without(headers: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name));
}

/** Parses the body as the endpoint accepts it now, whatever was accepted when it was received. */
async function parseAgain(
  old: Delivery,
  { bytes, formats, deliveryId }: { bytes: Buffer<ArrayBuffer>; formats: readonly BodyFormat[]; deliveryId: string },
): Promise<ParsedJson> {
  const header = headerOf(old);
  const contentType = header("content-type") ?? undefined;
  try {
    const [only, ...others] = formats;
    const format =
      only && others.length === 0
        ? only
        : chooseFormat(formats, { contentType, contentEncoding: header("content-encoding") ?? undefined });
    if (format instanceof AppError) throw format;
    return await parseBody(bytes, { format, contentType, deliveryId });
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    throw new AppError("not_replayable", `The body of delivery ${old.id} would be rejected again: ${cause.message}`, {
      cause,
    });
  }
}
