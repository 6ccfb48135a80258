import { AppError } from "../contract/app-error.ts";
import type { Backtest, ChangedTrigger, FiringChange, InputFailure, SkipReason, Stop } from "../contract/backtest.ts";
import type { DeliverySummary, Verdict } from "../contract/delivery.ts";
import { ownHeaders } from "../contract/own-headers.ts";
import type { ErrorCode } from "../contract/error-codes.ts";
import type { Json } from "../contract/json.ts";
import type { Problem } from "../contract/problem.ts";
import { redactVerdicts } from "../domain/privacy/redaction.ts";
import { chooseFormat, contentOf, onlyJson, parseBody } from "../domain/requests/body-format.ts";
import { acceptsMethod, allowedMethods } from "../domain/requests/challenge.ts";
import type { ProjectSources, TriggerSource } from "../ports/project.ts";
import { matchTriggers } from "./match-triggers.ts";

/**
 * Evaluates recorded deliveries again with a build, as the receiver would, and compares the triggers that fire with the
 * recorded ones. Keys, signatures, rate limits, idempotency and switches are not evaluated: they do not depend on the
 * build alone.
 */

export interface RecordedDelivery extends DeliverySummary {
  /** `null` if the body is not stored. */
  bytes: Uint8Array<ArrayBuffer> | null;
}

/** Checks what follows a match. Returns the reason why the run would fail; `null`: it would start. */
export type CheckInput = (match: {
  trigger: TriggerSource;
  payload: Json;
  delivery: RecordedDelivery;
}) => Promise<Pick<InputFailure, "name" | "message" | "errors"> | null>;

export interface BacktestRequest {
  endpoint: string | null;
  trigger: string | null;
  since: number;
  until: number;
}

/** More differences of a trigger are counted, but not listed. */
const maxListed = 100;

/** Collects the comparison of deliveries, which are added newest first. */
export function createBacktest(
  sources: ProjectSources,
  { endpoint, trigger: only, since, until }: BacktestRequest,
  checkInput: CheckInput | null = null,
): { add(delivery: RecordedDelivery): Promise<void>; end(p: { isComplete: boolean }): Backtest } {
  const skipped = new Map<string, Skipped>();
  const changed = new Map<string, ChangedTrigger>();
  let compared = 0;

  function skip({ id, problem }: DeliverySummary, reason: SkipReason): void {
    const code = reason === "rejected" || reason === "no_body" ? (problem?.code ?? null) : null;
    const key = keyOf({ reason, code });
    const group = skipped.get(key) ?? { reason, code, deliveries: 0, example: id };
    skipped.set(key, { ...group, deliveries: group.deliveries + 1 });
  }

  function changesOf({ trigger, attachmentId, target }: Pick<Verdict, "trigger" | "attachmentId" | "target">) {
    const known = changed.get(attachmentId);
    if (known) return known;
    const none: ChangedTrigger = {
      trigger,
      attachmentId,
      target,
      gained: 0,
      lost: 0,
      failed: 0,
      changes: [],
      failures: [],
    };
    changed.set(attachmentId, none);
    return none;
  }

  async function check(delivery: RecordedDelivery, trigger: TriggerSource, payload: Json): Promise<void> {
    const failure = await checkInput?.({ trigger, payload, delivery });
    if (!failure) return;
    const by = changesOf({ ...trigger, trigger: trigger.slug });
    by.failed += 1;
    if (by.failures.length < maxListed) by.failures.push({ ...placeOf(delivery), ...failure });
  }

  return {
    async add(delivery) {
      const { bytes } = delivery;
      const reason = skipReasonOf(delivery);
      if (reason || !bytes) return skip(delivery, reason ?? "no_body");
      compared += 1;
      const evaluating = matchAll(sources, delivery, bytes);
      const { matches, stopOf } = evaluating instanceof Promise ? await evaluating : evaluating;
      const recorded = new Map(delivery.verdicts.map((verdict) => [verdict.attachmentId, verdict]));
      let isDisabled = false;
      const firing = new Set<string>();
      for (const { trigger, payload } of matches) {
        const { slug, attachmentId } = trigger;
        firing.add(attachmentId);
        if (only !== null && slug !== only) continue;
        const verdict = recorded.get(attachmentId) ?? null;
        if (wasDisabled(delivery, verdict)) isDisabled = true;
        else if (verdict?.outcome !== "matched")
          addChange(delivery, changesOf({ ...trigger, trigger: slug }), {
            change: "gained",
            runId: null,
            stopOf: () => recordedStop(delivery, verdict),
          });
        if (checkInput) await check(delivery, trigger, payload);
      }
      for (const verdict of delivery.verdicts) {
        const { attachmentId, runId } = verdict;
        if (verdict.outcome !== "matched" || firing.has(attachmentId)) continue;
        if (only === null || verdict.trigger === only)
          addChange(delivery, changesOf(verdict), { change: "lost", runId, stopOf: () => stopOf(attachmentId) });
      }
      if (isDisabled) skip(delivery, "disabled");
    },
    end({ isComplete }) {
      const triggers = [...changed.values()].toSorted((a, b) => (a.attachmentId < b.attachmentId ? -1 : 1));
      const sum = (of: "gained" | "lost" | "failed") => triggers.reduce((total, one) => total + one[of], 0);
      return {
        version: sources.manifest.version,
        since: new Date(since).toISOString(),
        until: new Date(until).toISOString(),
        endpoint,
        trigger: only,
        compared,
        notCompared: sortByCount([...skipped.values()]),
        isComplete,
        gained: sum("gained"),
        lost: sum("lost"),
        failed: sum("failed"),
        triggers,
      };
    },
  };
}

/**
 * Joins the comparisons of disjoint deliveries by one build, as if one had compared all. Each lists its newest
 * differences, so the newest of all are among them.
 */
export function mergeBacktests(parts: readonly Backtest[]): Backtest {
  const [first, ...others] = parts;
  if (!first) throw new Error("There is no comparison");
  return others.length === 0 ? first : others.reduce(mergeTwo, first);
}

function mergeTwo(one: Backtest, other: Backtest): Backtest {
  const triggers = Map.groupBy([...one.triggers, ...other.triggers], ({ attachmentId }) => attachmentId);
  const skipped = Map.groupBy([...one.notCompared, ...other.notCompared], keyOf);
  return {
    ...one,
    compared: one.compared + other.compared,
    notCompared: sortByCount([...skipped.values()].map((groups) => groups.reduce(mergeSkipped))),
    isComplete: one.isComplete && other.isComplete,
    gained: one.gained + other.gained,
    lost: one.lost + other.lost,
    failed: one.failed + other.failed,
    triggers: [...triggers.values()]
      .map((same) => same.reduce(mergeTriggers))
      .toSorted((a, b) => (a.attachmentId < b.attachmentId ? -1 : 1)),
  };
}

type Skipped = Backtest["notCompared"][number];

const keyOf = ({ reason, code }: Pick<Skipped, "reason" | "code">): string => `${reason} ${code}`;

function sortByCount(skipped: readonly Skipped[]): Skipped[] {
  return skipped.toSorted((a, b) => b.deliveries - a.deliveries || keyOf(a).localeCompare(keyOf(b)));
}

function mergeSkipped(one: Skipped, other: Skipped): Skipped {
  return {
    ...one,
    deliveries: one.deliveries + other.deliveries,
    // Ids begin with their time.
    example: one.example > other.example ? one.example : other.example,
  };
}

function mergeTriggers(one: ChangedTrigger, other: ChangedTrigger): ChangedTrigger {
  return {
    ...one,
    gained: one.gained + other.gained,
    lost: one.lost + other.lost,
    failed: one.failed + other.failed,
    changes: newestOf([...one.changes, ...other.changes]),
    failures: newestOf([...one.failures, ...other.failures]),
  };
}

function newestOf<Place extends { receivedAt: string; deliveryId: string }>(places: readonly Place[]): Place[] {
  const timeOf = ({ receivedAt, deliveryId }: Place) => `${receivedAt} ${deliveryId}`;
  return places.toSorted((a, b) => (timeOf(a) > timeOf(b) ? -1 : 1)).slice(0, maxListed);
}

function placeOf({ id, endpoint, receivedAt }: DeliverySummary) {
  return { deliveryId: id, endpoint, receivedAt };
}

/** `stopOf` explains a mismatch, which takes longer than to detect it. */
function addChange(
  delivery: RecordedDelivery,
  by: ChangedTrigger,
  p: Pick<FiringChange, "change" | "runId"> & { stopOf: () => Stop },
): void {
  by[p.change] += 1;
  if (by.changes.length >= maxListed) return;
  by.changes.push({ change: p.change, ...placeOf(delivery), ...p.stopOf(), runId: p.runId });
}

/** Triggers evaluated these requests, or would have if their body had been readable. */
const evaluatedCodes: ReadonlySet<string> = new Set<ErrorCode>([
  "request_mismatch",
  "invalid_json",
  "invalid_body",
  "unsupported_media_type",
]);

/** Why a delivery cannot be compared, apart from a missing body. */
function skipReasonOf({ redeliveryOf, outcome, headers, problem }: DeliverySummary): SkipReason | null {
  if (redeliveryOf !== null) return "redelivery";
  if (outcome === "repeated") return "repeat";
  if (Object.hasOwn(headers, ownHeaders.handshake)) return "handshake";
  return problem === null || evaluatedCodes.has(problem.code) ? null : "rejected";
}

interface TriggerMatches {
  matches: readonly { trigger: TriggerSource; payload: Json }[];
  /** Why an attachment does not match. */
  stopOf(attachmentId: string): Stop;
}

const absent: Stop = { outcome: "absent", reasons: [] };

/** The same steps as those of the receiver: route, check the method, choose the format, parse, match. */
function matchAll(sources: ProjectSources, delivery: RecordedDelivery, bytes: Uint8Array<ArrayBuffer>) {
  const { id, endpoint, method, headers } = delivery;
  const triggers = sources.byEndpoint.get(endpoint);
  const source = triggers?.[0];
  if (!triggers || !source) return { matches: [], stopOf: () => absent };
  if (!acceptsMethod(source, method))
    return rejected(new AppError("method_not_allowed", `Send webhooks as ${allowedMethods(source)}.`));
  const contentType = headers["content-type"];
  const format = chooseFormat(source.body ?? onlyJson, {
    contentType,
    contentEncoding: headers["content-encoding"],
    jsonTypes: source.verify?.jsonTypes,
  });
  if (format instanceof AppError) return rejected(format);
  const match = (content: Uint8Array<ArrayBuffer>): TriggerMatches => {
    const { json: body } = parseBody(content, { format, contentType, deliveryId: id });
    const { matches, list } = matchTriggers({
      triggers,
      index: sources.indexes.get(endpoint) ?? null,
      body,
      headers,
    });
    return {
      matches,
      stopOf(attachmentId) {
        const { verdicts } = redactVerdicts(list(new Set([attachmentId])));
        return toStop(verdicts.find((verdict) => verdict.attachmentId === attachmentId) ?? null) ?? absent;
      },
    };
  };
  try {
    const contentEncoding = headers["content-encoding"];
    return contentEncoding === undefined
      ? match(bytes)
      : contentOf(bytes, { type: format.type, contentEncoding }).then(match).catch(rejected);
  } catch (error) {
    return rejected(error);
  }
}

/** The body cannot be read any more. */
function rejected(error: unknown): TriggerMatches {
  if (!(error instanceof AppError)) throw error;
  return { matches: [], stopOf: () => rejection({ code: error.code, detail: error.message }) };
}

function rejection({ code, detail }: Pick<Problem, "code" | "detail">): Stop {
  return { outcome: "rejected", reasons: [{ pointer: "", code, message: detail, expected: null, actual: null }] };
}

/** Whether the trigger was disabled, or may have been: the delivery counts such verdicts without their triggers. */
function wasDisabled({ unlistedVerdicts }: DeliverySummary, verdict: Verdict | null): boolean {
  if (verdict) return verdict.outcome === "disabled";
  return unlistedVerdicts.some(({ outcome }) => outcome === "disabled");
}

/** Why a trigger did not fire when the delivery was received. */
function recordedStop({ verdicts, unlistedVerdicts, problem }: DeliverySummary, verdict: Verdict | null): Stop {
  const stop = toStop(verdict);
  if (stop) return stop;
  if (unlistedVerdicts.length > 0) return { outcome: "unlisted", reasons: [] };
  return problem && verdicts.length === 0 ? rejection(problem) : absent;
}

function toStop(verdict: Verdict | null): Stop | null {
  if (!verdict || verdict.outcome === "matched" || verdict.outcome === "disabled") return null;
  return { outcome: verdict.outcome, reasons: verdict.reasons };
}
