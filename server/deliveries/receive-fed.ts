import { createHash } from "node:crypto";
import { AppError } from "../contract/app-error.ts";
import { type Delivery, noVerdicts, type VerdictList } from "../contract/delivery.ts";
import { ownHeaders } from "../contract/own-headers.ts";
import type { FedDelivery } from "../contract/feed.ts";
import { idempotencyOf } from "../domain/deliveries/idempotency.ts";
import { headersWithOrigin } from "../domain/deliveries/origin.ts";
import { queueFull, toProblem } from "../domain/problem.ts";
import { withRuns } from "../matching/match-triggers.ts";
import { deliveredEvents, withWoken } from "../matching/delivered-events.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { SwitchStore } from "../ports/store.ts";
import type { DeliveryStore, NewDelivery } from "../ports/store/delivery-store.ts";
import { headerOf, evaluateAgain, requireStored, signedPartsOf } from "./evaluate-again.ts";

/** `known`: it was received before. `busy`: nothing is recorded, and it can be received later. */
type FedResult = { kind: "recorded"; delivery: NewDelivery } | { kind: "known" } | { kind: "busy"; reason: string };

export type ReceiveFed = (fed: FedDelivery, p: { url: string; isMatchOnly: boolean }) => Promise<FedResult>;

/**
 * Receives a delivery of the feed of another service, which has authenticated and verified it: no key, no signature and
 * no rate limit is checked. It keeps its id and its time, so it is recorded once, however often it comes. Otherwise it
 * is evaluated like a webhook. With `isMatchOnly`, a match starts no run: the delivery is held instead.
 */
export function createReceiveFed(deps: {
  store: Pick<DeliveryStore, "acceptDelivery" | "recordDelivery" | "getDeliveryHeaders"> &
    Pick<SwitchStore, "listDisabledTriggers">;
  project: ProjectReader;
  clock: Clock;
}): ReceiveFed {
  const { store } = deps;

  async function record(delivery: NewDelivery): Promise<FedResult> {
    await store.recordDelivery(delivery);
    return { kind: "recorded", delivery };
  }

  return async (fed, p) => {
    const startedAt = performance.now();
    const { isMasked: _, ...given } = fed;
    const body = Buffer.from(fed.body, "base64");
    const delivery: NewDelivery = {
      ...given,
      receivedAt: Date.parse(fed.receivedAt),
      headers: headersWithOrigin(fed, p),
      body,
      bodyBytes: body.length,
      bodySha256: createHash("sha256").update(body).digest("hex"),
      ...noVerdicts,
      problem: null,
      keyId: null,
    };
    const complete = (end: Pick<NewDelivery, "outcome" | "responseStatus"> & Partial<NewDelivery>): NewDelivery => ({
      ...delivery,
      ...end,
      durationMs: Math.round((performance.now() - startedAt) * 100) / 100,
    });
    const reject = (error: AppError, verdicts: VerdictList = noVerdicts): Promise<FedResult> => {
      const problem = toProblem(error);
      return record(complete({ ...verdicts, outcome: "rejected", responseStatus: problem.status, problem }));
    };

    try {
      if ((await store.getDeliveryHeaders(fed.id)) !== null) return { kind: "known" };
      if (!deps.project.current().byEndpoint.has(fed.endpoint))
        return await reject(new AppError("unknown_endpoint", "No trigger of this project listens on the endpoint."));
      const { decision, rounded, idempotency } = await evaluate(deps, { fed, delivery });
      if (rounded.length > 0) delivery.headers[ownHeaders.rounded] = JSON.stringify(rounded);
      const { verdicts, unlistedVerdicts } = decision;
      const isHeld = p.isMatchOnly && decision.outcome === "accepted";
      const runs = isHeld ? [] : decision.runs;
      const listed = isHeld ? withRuns({ verdicts, unlistedVerdicts }, []) : { verdicts, unlistedVerdicts };
      const { responseStatus } = decision;
      const decided = complete({
        ...listed,
        outcome: isHeld ? "held" : decision.outcome,
        responseStatus,
        problem: decision.outcome === "rejected" ? toProblem(decision.rejection) : null,
      });
      const delivered = p.isMatchOnly ? undefined : deliveredEvents(decision);
      const result = await store.acceptDelivery({ delivery: decided, runs, idempotency, delivered });
      switch (result.kind) {
        case "accepted":
          return {
            kind: "recorded",
            delivery: withWoken(decided, { delivered, runs: runs.length, woke: result.woke?.length ?? 0 }),
          };
        case "full":
          return { kind: "busy", reason: queueFull(result.queue).message };
        case "conflict":
          return await reject(
            new AppError(
              "idempotency_conflict",
              `This idempotency key was accepted with another body, in delivery ${result.deliveryId}.`,
            ),
            withRuns(listed, []),
          );
        case "repeated": {
          const attachments = new Set(result.runs.map(({ attachmentId }) => attachmentId));
          const first = withRuns(decision.listWith(attachments), result.runs);
          return await record(complete({ ...first, outcome: "repeated", responseStatus: 202 }));
        }
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === "store_unavailable") return { kind: "busy", reason: error.message };
      // A body that the endpoint cannot read here.
      return await reject(error.cause instanceof AppError ? error.cause : error);
    }
  };
}

/** The decision of the current triggers. Throws AppError `not_replayable` if the endpoint cannot read the body. */
async function evaluate(
  deps: Parameters<typeof createReceiveFed>[0],
  { fed, delivery }: { fed: FedDelivery; delivery: NewDelivery },
) {
  const given: Delivery = { ...fed, headers: delivery.headers, json: null };
  const stored = requireStored(given, { project: deps.project, trigger: null });
  const { triggers, bytes } = stored;
  const source = triggers[0];
  const evaluated = await evaluateAgain(deps, given, {
    ...stored,
    isOne: false,
    deliveryId: fed.id,
    startedBy: "webhook",
    now: deps.clock.now(),
    onMismatch: source?.onMismatch ?? null,
  });
  const signed = source?.verify ? source.verify.readSigned(signedPartsOf(given, bytes)) : null;
  // A person delivered it again, on purpose.
  const idempotency =
    fed.redeliveryOf !== null
      ? null
      : idempotencyOf({
          header: headerOf(given),
          body: evaluated.body,
          dedupe: source?.dedupe ?? null,
          receivedAt: delivery.receivedAt,
          signed,
        });
  return { ...evaluated, idempotency };
}
