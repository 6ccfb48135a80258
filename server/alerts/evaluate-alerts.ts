import type { AlertDestinations } from "../config.ts";
import type { Destination } from "../contract/alert.ts";
import type { Manifest } from "../contract/project/manifest.ts";
import type { AlertRules } from "../contract/project/settings.ts";
import { hasTarget } from "../contract/project/target.ts";
import { type AlertFacts, type DiskFact, findCauses, type Finding, type MatchFact } from "../domain/alerts/findings.ts";
import { maxAlertMs, planAlerts } from "../domain/alerts/plan-alerts.ts";
import { readDueWork } from "../ports/due-work.ts";
import type { Store } from "../ports/store.ts";
import type { AlertState } from "../ports/store/alert-store.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export type AlertReads = Pick<
  Store,
  | "listFailures"
  | "countQueuedOf"
  | "listOldApprovals"
  | "readAlertState"
  | "saveAlertPlan"
  | "listKeys"
  | "countVerdicts"
  | "countDeliveries"
  | "listDueRuns"
  | "listWorkers"
>;

interface EvaluateOptions {
  store: AlertReads;
  rules: AlertRules;
  destinations: AlertDestinations;
  /** The current build; `null`: there is none. */
  manifest: Manifest | null;
  /** The disks of this machine with the store. */
  readDisks: () => Promise<DiskFact[]>;
  /** Causes that are not in the store. */
  others: readonly Finding[];
  /** Skips the evaluation if one was made in this time, by any machine. */
  everyMs: number;
  now: number;
}

/** Evaluates the rules once. Returns whether messages were planned. Of several machines, one writes the result. */
export async function evaluateAlerts(p: EvaluateOptions): Promise<boolean> {
  const { store, rules, now } = p;
  const state = await store.readAlertState({ endedSince: now - maxAlertMs, messagesSince: now - hourMs });
  const { evaluatedAt } = state;
  // A clock that was set back does not stop the evaluation.
  if (evaluatedAt !== null && now >= evaluatedAt && now - evaluatedAt < p.everyMs) return false;
  const facts = await readFacts(p, state);
  const plan = planAlerts({
    findings: [...findCauses(rules, facts, now), ...p.others],
    open: state.open,
    destinations: listDestinations(p.destinations),
    recentMessages: state.recentMessages,
    now,
  });
  const isSaved = await store.saveAlertPlan({ plan, evaluatedAt, now });
  return isSaved && plan.messages.length > 0;
}

export function listDestinations({ webhook, slack }: AlertDestinations): Destination[] {
  return [...(webhook ? (["webhook"] as const) : []), ...(slack ? (["slack"] as const) : [])];
}

async function readFacts(
  { store, rules, manifest, readDisks, now }: EvaluateOptions,
  state: AlertState,
): Promise<AlertFacts> {
  const targets = [
    ...(manifest?.workflows ?? []).map((workflow) => ({ ...workflow, name: `workflow:${workflow.slug}` })),
    ...(manifest?.agents ?? []).map((agent) => ({ ...agent, name: `agent:${agent.slug}` })),
  ];
  const limited = targets.flatMap(({ name, maxQueued }) =>
    maxQueued === null ? [] : [{ target: name, maxQueued, upTo: maxQueued }],
  );
  const [failures, matches, queued, approvals, keys, work, disks] = await Promise.all([
    rules.runFailed ? store.listFailures(failurePeriods(state, now - rules.runFailed.quietMs)) : [],
    rules.mismatches && manifest ? readMatches(store, manifest, { now, withinMs: rules.mismatches.withinMs }) : [],
    rules.queueFull && limited.length > 0 ? store.countQueuedOf(limited) : [],
    rules.approvalPending ? store.listOldApprovals(now - rules.approvalPending.afterMs) : [],
    rules.keyExpiring ? store.listKeys() : [],
    rules.workersBlocked || rules.runsLate ? readDueWork({ store, manifest, now }) : { due: [], blocked: [] },
    rules.diskSpace ? readDisks() : [],
  ]);
  return {
    failures,
    matches,
    queues: limited.map(({ target, maxQueued }, at) => ({ target, maxQueued, queued: queued[at] ?? 0 })),
    approvals,
    keys,
    due: work.due,
    blocked: work.blocked,
    // No row shows later that these runs were pinned to another build: see recordLeftBuild.
    leftBuilds: state.open
      .filter(({ kind }) => kind === "runs_left_build")
      .map(({ subject, detail, count, openedAt, lastAt }) => ({
        acceptedBy: subject,
        version: String(detail["version"]),
        runs: count,
        firstAt: openedAt,
        lastAt,
      })),
    disks,
  };
}

/**
 * Failures are counted from the opening of their alert, or after their last alert. Each evaluation counts them again,
 * so it does not matter that a run was recorded late, by a machine whose clock differs.
 */
function failurePeriods({ open, ended }: AlertState, since: number) {
  const known = [...ended, ...open].filter(({ kind }) => kind === "run_failed");
  return {
    since,
    sinceOf: new Map(
      known.map(({ subject, openedAt, lastAt, resolvedAt }) => [subject, resolvedAt === null ? openedAt : lastAt + 1]),
    ),
  };
}

async function readMatches(
  store: Pick<Store, "countVerdicts" | "countDeliveries">,
  { triggers }: Manifest,
  { now, withinMs }: { now: number; withinMs: number },
): Promise<MatchFact[]> {
  const endpoints = [...new Set(triggers.map(({ endpoint }) => endpoint))];
  // The current minute counts, too.
  const window = { since: now - withinMs, until: now + minuteMs, bucketMs: minuteMs } as const;
  const [deliveries, { verdicts }] = await Promise.all([
    store.countDeliveries({ ...window, endpoints }),
    store.countVerdicts({ ...window, endpoints }),
  ]);
  const unattached = new Set(attachmentsWithoutTarget(triggers));
  return endpoints.map((endpoint) => {
    const own = new Set(triggers.flatMap((trigger) => (trigger.endpoint === endpoint ? [trigger.attachmentId] : [])));
    const selecting = new Set(triggers.flatMap((one) => (one.selectsEvent ? [one.attachmentId] : [])));
    const counts = verdicts.filter(({ attachmentId }) => own.has(attachmentId));
    const matched = counts.filter(({ attachmentId, outcome }) => outcome === "matched" && unattached.has(attachmentId));
    const byTrigger = [...Map.groupBy(counts, ({ attachmentId }) => attachmentId).values()];
    const accepted = deliveries.filter(
      (count) => count.endpoint === endpoint && (count.outcome === "accepted" || count.outcome === "repeated"),
    );
    return {
      endpoint,
      evaluated: Math.max(0, ...byTrigger.map(sum)),
      // A delivery can be in both sums. Then the number of mismatches is too low, never too high.
      accepted: sum(accepted) + sum(matched),
      wrongEvents: Math.max(
        0,
        ...byTrigger.map((group) =>
          sum(
            group.filter(({ attachmentId, outcome }) => outcome === "request_mismatch" && selecting.has(attachmentId)),
          ),
        ),
      ),
      stoppedLater: sum(counts.filter(({ outcome }) => outcome !== "matched" && outcome !== "request_mismatch")),
    };
  });
}

/** Of the slugs that no trigger attaches: their matches are skipped, but no mismatches. */
function attachmentsWithoutTarget(triggers: Manifest["triggers"]): string[] {
  const attached = new Set(triggers.filter(hasTarget).map(({ slug }) => slug));
  return triggers.flatMap(({ slug, attachmentId }) => (attached.has(slug) ? [] : attachmentId));
}

function sum(counts: readonly { count: number }[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}
