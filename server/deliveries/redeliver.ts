import { createHash } from "node:crypto";
import type { SignedEvent } from "../../sdk/definition.ts";
import { AppError } from "../contract/app-error.ts";
import type { Delivery } from "../contract/delivery.ts";
import { ownHeaders } from "../contract/own-headers.ts";
import type { OnMismatch } from "../contract/project/endpoint.ts";
import type { StartedBy } from "../contract/run.ts";
import { idempotencyOf } from "../domain/deliveries/idempotency.ts";
import { redacted as redactedText } from "../domain/privacy/redaction.ts";
import { newId } from "../domain/ids.ts";
import { toProblem, queueFull } from "../domain/problem.ts";
import { contentOf } from "../domain/requests/body-format.ts";
import { withoutEncoding } from "../domain/requests/content-encoding.ts";
import { checkSignature } from "../domain/requests/check-signature.ts";
import { deliveredEvents } from "../matching/delivered-events.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProjectReader, TriggerSource } from "../ports/project.ts";
import type { Signals } from "../ports/signals.ts";
import type { SwitchStore } from "../ports/store.ts";
import type { DeliveryStore, NewDelivery } from "../ports/store/delivery-store.ts";
import { headerOf, evaluateAgain, requireStored, signedPartsOf } from "./evaluate-again.ts";
import { getDelivery } from "./read-deliveries.ts";

/**
 * Redelivers the stored body of a delivery, byte for byte, to the current triggers of the project or to one of them.
 * This creates a new delivery with new runs. A delivery that was rejected for its signature is verified again first.
 * A held delivery is released instead. Returns the id of the new delivery. Throws AppError `not_found`,
 * `not_replayable` or `queue_full`.
 */
export async function redeliver(
  deps: {
    store: Pick<DeliveryStore, "acceptDelivery"> & Pick<SwitchStore, "listDisabledTriggers">;
    originals: Pick<DeliveryStore, "getDelivery">;
    project: ProjectReader;
    signals: Signals;
    clock: Clock;
  },
  request: { id: string; trigger: string | null; startedBy: StartedBy },
): Promise<string> {
  const startedAt = performance.now();
  const old = await getDelivery({ store: deps.originals }, request.id);
  if (old.outcome === "held") throw isHeld(old);
  const stored = requireStored(old, { project: deps.project, trigger: request.trigger });
  const { bytes, triggers } = stored;
  const wasRejected = old.problem?.code === "invalid_signature" || old.problem?.code === "verification_failed";
  const signed = wasRejected ? await verifyAgain(old, bytes, triggers) : null;
  // A manual redelivery ignores the idempotency key of the first delivery. A delivery that was never accepted keeps its key, because the sender may have retried the event, or may still do so.
  const isFirst = wasRejected && request.trigger === null;
  const now = deps.clock.now();
  const id = newId("dlv", now);
  const { decision, body, rounded, content } = await evaluateAgain(deps, old, {
    ...stored,
    isOne: request.trigger !== null,
    deliveryId: id,
    startedBy: request.startedBy,
    now,
    onMismatch: onMismatchOf(triggers, { isFirst }),
  });
  const { runs, outcome, responseStatus, verdicts, unlistedVerdicts } = decision;
  const recorded = content === bytes ? old.headers : withoutEncoding(old.headers);
  const delivery: NewDelivery = {
    id,
    outcome,
    responseStatus,
    verdicts,
    unlistedVerdicts,
    problem: decision.outcome === "rejected" ? toProblem(decision.rejection) : null,
    endpoint: old.endpoint,
    receivedAt: now,
    method: old.method,
    headers: {
      ...without(recorded, [ownHeaders.rounded, ownHeaders.releasedAt]),
      ...(rounded.length > 0 && { [ownHeaders.rounded]: JSON.stringify(rounded) }),
      [ownHeaders.redeliveryOf]: old.id,
    },
    body: content,
    bodyBytes: content.length,
    bodySha256: createHash("sha256").update(content).digest("hex"),
    durationMs: performance.now() - startedAt,
    keyId: null,
    redeliveryOf: old.id,
  };
  const idempotency = isFirst
    ? idempotencyOf({
        header: headerOf(old),
        body,
        dedupe: triggers[0]?.dedupe ?? null,
        receivedAt: Date.parse(old.receivedAt),
        signed,
      })
    : null;
  const delivered = deliveredEvents(decision);
  const result = await deps.store.acceptDelivery({ delivery, runs, idempotency, delivered });
  if (result.kind === "full") throw queueFull(result.queue);
  if (result.kind !== "accepted")
    throw new AppError(
      "not_replayable",
      `This event was accepted in the meantime as delivery ${result.deliveryId}. Redeliver that delivery to run the event again.`,
    );
  if (runs.length > 0 || result.woke?.length) deps.signals.runsQueued();
  return id;
}

/** The event is not held a second time: only its first delivery waits for triggers. */
function onMismatchOf(triggers: readonly TriggerSource[], { isFirst }: { isFirst: boolean }): OnMismatch | null {
  const onMismatch = triggers[0]?.onMismatch ?? null;
  return onMismatch === "hold" && !isFirst ? "skip" : onMismatch;
}

function isHeld({ id }: Delivery): AppError {
  return new AppError(
    "not_replayable",
    `Delivery ${id} is held: a redelivery would run its event a second time after its release. Release it: \`signalbox deliveries release ${id}\`.`,
  );
}

/**
 * Verifies the signature as of the time of receipt: the secret may be fixed by now, and the timestamp was valid only
 * then. Returns the signed content.
 */
async function verifyAgain(
  old: Delivery,
  body: Buffer<ArrayBuffer>,
  triggers: readonly TriggerSource[],
): Promise<SignedEvent | null> {
  const verification = triggers[0]?.verify;
  if (!verification) return null;
  const redacted = new Set<string>();
  const partsWith = (signed: Uint8Array) =>
    signedPartsOf(old, signed, (what, value) => {
      if (value?.includes(redactedText)) redacted.add(what);
    });
  const request = partsWith(body);
  const fault = await checkSignature(verification, request);
  if (!fault) return verification.readSigned(request);
  const decompressed = await decompress(old, body);
  if (decompressed !== body) {
    const other = partsWith(decompressed);
    if (!(await checkSignature(verification, other))) return verification.readSigned(other);
  }
  const [what] = redacted;
  throw new AppError(
    "not_replayable",
    what === undefined
      ? `The signature of delivery ${old.id} is still invalid. ${fault.detail}`
      : `The signature of delivery ${old.id} cannot be checked again: it covers the ${what}, which contains a key and is not stored. Have the sender send the event again.`,
    { cause: fault.cause },
  );
}

/** The same bytes if they are not compressed, or cannot be read. */
async function decompress(old: Delivery, body: Buffer<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await contentOf(body, { type: "json", contentEncoding: headerOf(old)("content-encoding") ?? undefined });
  } catch (error) {
    if (error instanceof AppError) return body;
    throw error;
  }
}

function without(headers: Record<string, string>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}
