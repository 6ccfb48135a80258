import { AppError } from "../contract/app-error.ts";
import type { Json } from "../contract/json.ts";
import { hasTarget, type Target } from "../contract/project/target.ts";
import type { StartedBy } from "../contract/run.ts";
import type { Verdict } from "../contract/delivery.ts";
import { planRun, requestMismatch, disabledVerdict, evaluateTriggers } from "../matching/match-triggers.ts";
import { didYouMean } from "../../sdk/did-you-mean.ts";
import { type StartedRun, startKeyOf, toStartedRun } from "../domain/runs/start-key.ts";
import { keyOfRun } from "../domain/runs/run-key.ts";
import { redactVerdict } from "../domain/privacy/redaction.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProjectReader, TriggerSource } from "../ports/project.ts";
import type { Signals } from "../ports/signals.ts";
import type { SwitchStore } from "../ports/store.ts";
import type { RunStore } from "../ports/store/run-store.ts";
import { triggersWithSlug } from "./find-triggers.ts";

/**
 * `runs` is empty if the filter did not match or the trigger is disabled; `verdicts` has the reason for each
 * attachment.
 */
export interface StartedTrigger {
  runs: StartedRun[];
  /** The request repeats an idempotency key, and started nothing. */
  isRepeat: boolean;
  verdicts: Verdict[];
}

/**
 * Starts a trigger without a webhook: the body goes through `request` and `filter`, and each attachment with this slug,
 * or the one to `target`, gets a run. No delivery is recorded. Throws AppError `not_found` (also if the trigger has no
 * target), `request_mismatch`, `idempotency_conflict` or `queue_full`.
 */
export async function startTriggerRuns(
  deps: {
    store: Pick<RunStore, "createRuns" | "createRunsOnce"> & Pick<SwitchStore, "listDisabledTriggers">;
    project: ProjectReader;
    signals: Signals;
    clock: Clock;
  },
  request: {
    slug: string;
    target?: string | undefined;
    body: Json;
    startedBy: StartedBy;
    /** Of the runs. Default: that of the trigger, from the body. */
    key?: string | undefined;
    idempotencyKey?: string | undefined;
  },
): Promise<StartedTrigger> {
  const { manifest, ...sources } = deps.project.current();
  const triggers = attachmentsOf(triggersWithSlug({ manifest, ...sources }, request.slug), request);
  const disabled = await deps.store.listDisabledTriggers();
  if (disabled.has(request.slug))
    return {
      runs: [],
      isRepeat: false,
      verdicts: triggers.map((trigger) => disabledVerdict(trigger, disabled)),
    };
  const evaluated = evaluateTriggers(triggers, request.body);
  const mismatch = evaluated.find(({ verdict }) => verdict.outcome === "request_mismatch");
  if (mismatch) throw requestMismatch(redactVerdict(mismatch.verdict));
  const now = deps.clock.now();
  const runs = evaluated.flatMap(({ verdict, payload }) => {
    const trigger = triggers.find(({ attachmentId }) => attachmentId === verdict.attachmentId);
    if (verdict.outcome !== "matched" || !trigger) return [];
    return [
      planRun({
        manifest,
        trigger,
        payload,
        now,
        startedBy: request.startedBy,
        deliveryId: null,
        replayOf: null,
        keyId: null,
        key: request.key ?? keyOfRun(trigger.key, { payload, headers: null }),
      }),
    ];
  });
  const verdictsWith = (started: readonly StartedRun[]) =>
    evaluated.map(({ verdict }) => ({
      ...verdict,
      runId: started.find(({ target }) => verdict.target && isSame(target, verdict.target))?.runId ?? null,
    }));
  if (runs.length === 0) return { runs: [], isRepeat: false, verdicts: verdictsWith([]) };
  const key = startKeyOf({
    key: request.idempotencyKey,
    subject: `trigger ${request.slug} ${request.target ?? "*"}`,
    body: request.body,
    now,
  });
  const first = key && (await deps.store.createRunsOnce(runs, key));
  if (first) return { runs: first, isRepeat: true, verdicts: verdictsWith(first) };
  if (!key) await deps.store.createRuns(runs);
  deps.signals.runsQueued();
  const started = runs.map(toStartedRun);
  return { runs: started, isRepeat: false, verdicts: verdictsWith(started) };
}

function isSame(one: Target, other: Target): boolean {
  return one.kind === other.kind && one.slug === other.slug;
}

type AttachedTrigger = TriggerSource & { target: Target };

function startsNothing({ slug, endpoint }: TriggerSource): AppError {
  return new AppError(
    "not_found",
    `The trigger ${JSON.stringify(slug)} has no workflow or agent, so it starts nothing. A webhook to /triggers/${endpoint} wakes the runs that wait for it.`,
  );
}

function attachmentsOf(
  all: readonly [TriggerSource, ...TriggerSource[]],
  { slug, target }: { slug: string; target?: string | undefined },
): readonly AttachedTrigger[] {
  const triggers = all.filter(hasTarget);
  if (triggers.length === 0) throw startsNothing(all[0]);
  if (target === undefined) return triggers;
  const asked = triggers.filter((trigger) => trigger.target.slug === target);
  if (asked.length > 0) return asked;
  throw new AppError(
    "not_found",
    `The trigger ${JSON.stringify(slug)} does not start ${JSON.stringify(target)}.${didYouMean(
      target,
      triggers.map((trigger) => trigger.target.slug),
    )}`,
  );
}
