import { createHash } from "node:crypto";
import { AppError, toProblem } from "../contract/app-error.ts";
import type { Delivery } from "../contract/delivery.ts";
import type { Json } from "../contract/json.ts";
import type { StartedBy } from "../contract/run.ts";
import type { Verdict } from "../contract/verdict.ts";
import { newId } from "../domain/ids.ts";
import { planRun } from "../domain/new-run.ts";
import { evaluateTriggers } from "../matching/evaluate-trigger.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProjectReader, ProjectSources, TriggerSource } from "../ports/project.ts";
import type { Signals } from "../ports/signals.ts";
import type { DeliveryStore, NewDelivery, NewRun } from "../ports/store.ts";
import { getDelivery } from "./get-delivery.ts";

/** Names the delivery whose body was delivered again; an ordinary sender's header of this name never reaches a redelivery unchanged. */
export const redeliveryHeader = "signalbox-redelivery-of";

/**
 * Delivers the stored body of a delivery again, byte for byte, to the triggers that are in the project now, or to one of them: a new
 * delivery, with new runs. Answers the new delivery's id. Throws AppError `not_found` or `not_replayable`.
 */
export async function redeliver(
  deps: { store: Pick<DeliveryStore, "getDelivery" | "acceptDelivery">; project: ProjectReader; signals: Signals; clock: Clock },
  request: { id: string; trigger: string | null; startedBy: StartedBy },
): Promise<{ deliveryId: string; runs: NewRun[] }> {
  const startedAt = performance.now();
  const old = await getDelivery(deps, request.id);
  const bytes = keptBody(old);
  const sources = deps.project.current();
  const triggers = receiversOf(old, request.trigger, sources);
  const now = deps.clock.now();
  const { runs, ...decided } = decide({ triggers, isShared: isShared(old, sources), body: parseBody(old, bytes), sources, now, startedBy: request.startedBy });
  const delivery: NewDelivery = {
    ...decided,
    endpoint: old.endpoint,
    receivedAt: now,
    method: old.method,
    headers: { ...old.headers, [redeliveryHeader]: old.id },
    body: bytes,
    bodyBytes: bytes.length,
    bodySha256: createHash("sha256").update(bytes).digest("hex"),
    durationMs: performance.now() - startedAt,
    keyId: null,
  };
  // Asked for by hand: the idempotency key of the first delivery must not hold it back.
  await deps.store.acceptDelivery({ delivery, runs, idempotency: null });
  if (runs.length > 0) deps.signals.runsQueued();
  return { deliveryId: delivery.id, runs };
}

interface Decision extends Pick<NewDelivery, "id" | "outcome" | "responseStatus" | "problem" | "verdicts"> {
  runs: NewRun[];
}

function decide(p: {
  triggers: readonly TriggerSource[];
  isShared: boolean;
  body: Json;
  sources: ProjectSources;
  now: number;
  startedBy: StartedBy;
}): Decision {
  const id = newId("dlv", p.now);
  const evaluated = evaluateTriggers(p.triggers, p.body);
  const runs: NewRun[] = [];
  const verdicts = evaluated.map(({ verdict, payload }): Verdict => {
    const trigger = p.triggers.find(({ attachmentId }) => attachmentId === verdict.attachmentId);
    if (verdict.outcome !== "matched" || !trigger) return verdict;
    const { manifest } = p.sources;
    const run = planRun({ manifest, trigger, payload, now: p.now, startedBy: p.startedBy, deliveryId: id, replayOf: null, keyId: null });
    runs.push(run);
    return { ...verdict, runId: run.id };
  });
  if (runs.length > 0) return { id, outcome: "accepted", responseStatus: 202, problem: null, verdicts, runs };
  const [only] = verdicts;
  if (p.isShared || only?.outcome !== "request_mismatch") return { id, outcome: "skipped", responseStatus: 200, problem: null, verdicts, runs };
  const errors = only.reasons.map(({ pointer, code, message }) => ({ pointer, code, message }));
  const mismatch = new AppError("request_mismatch", `The body does not match the request schema of trigger ${only.trigger}.`, { errors });
  return { id, outcome: "rejected", responseStatus: 422, problem: toProblem(mismatch), verdicts, runs };
}

function isShared(old: Delivery, sources: ProjectSources): boolean {
  return (sources.byEndpoint.get(old.endpoint)?.length ?? 0) > 1;
}

function receiversOf(old: Delivery, slug: string | null, sources: ProjectSources): readonly TriggerSource[] {
  const onEndpoint = sources.byEndpoint.get(old.endpoint) ?? [];
  const triggers = slug === null ? onEndpoint : onEndpoint.filter((trigger) => trigger.slug === slug);
  if (triggers.length > 0) return triggers;
  const what = slug === null ? "No trigger" : `No trigger ${JSON.stringify(slug)}`;
  throw new AppError("not_replayable", `${what} listens on ${JSON.stringify(old.endpoint)} in the project that runs now. Deploy a project that has it.`);
}

function keptBody(old: Delivery): Buffer {
  if (old.body !== null) return Buffer.from(old.body, "base64");
  throw new AppError("not_replayable", `The body of delivery ${old.id} is not kept: it was refused before it was read, or retention removed it.`);
}

function parseBody(old: Delivery, bytes: Buffer): Json {
  try {
    const body: Json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (!isDeeperThan(body, deepest)) return body;
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
  }
  throw new AppError("not_replayable", `The body of delivery ${old.id} is not JSON that triggers take: it would be refused again.`);
}

/** As in the receiver. */
const deepest = 512;

function isDeeperThan(body: Json, limit: number): boolean {
  let level: Json[] = [body];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((value) => (value !== null && typeof value === "object" ? Object.values(value).filter((inner) => typeof inner === "object" && inner !== null) : []));
  }
  return false;
}
