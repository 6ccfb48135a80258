import type { Key } from "../../contract/access/key.ts";
import type { AlertKind } from "../../contract/alert.ts";
import type { Json } from "../../contract/json.ts";
import type { AlertRules } from "../../contract/project/settings.ts";
import { expiresSoon } from "../../shared/access/keys.ts";
import {
  type BlockedRuns,
  describeBlockedRuns,
  describeDueRuns,
  type DueRuns,
  type Pool,
} from "../runs/blocked-work.ts";

/** A cause for an alert. Causes of the same kind and subject belong to one alert. Times are UTC milliseconds. */
export interface Finding {
  kind: AlertKind;
  subject: string;
  count: number;
  firstAt: number;
  lastAt: number;
  detail: { [name: string]: Json };
  /** The id of an alert about it that was sent before it could be recorded. */
  sentAs?: string;
}

/** The failed runs of a target since its alert opened, or since its last alert. */
export interface FailureFact {
  /** `workflow:welcome-email` */
  target: string;
  count: number;
  firstAt: number;
  lastAt: number;
  /** The newest, with their errors. */
  runs: { id: string; error: string }[];
}

/** The deliveries to an endpoint within the time of the rule. */
export interface MatchFact {
  endpoint: string;
  /** Deliveries that triggers have evaluated. */
  evaluated: number;
  /** Those that matched a trigger, or repeated one that did. */
  accepted: number;
  /** Verdicts that say that only `filter`, `headers` or a switch stopped the delivery. */
  stoppedLater: number;
  /** Events of the kind that a typed source selects, in another form: of the trigger that has most of them. */
  wrongEvents: number;
}

/** An error message can be long, and is only a hint here. */
const maxErrorChars = 200;

/** The error of a run in a FailureFact. */
export function describeFailure({ name, message }: { name: string | null; message: string | null }): string {
  const error = `${name ?? "Error"}: ${message ?? ""}`;
  return error.length <= maxErrorChars ? error : `${error.slice(0, maxErrorChars)}…`;
}

interface QueueFact {
  target: string;
  queued: number;
  maxQueued: number;
}

export interface ApprovalFact {
  runId: string;
  target: string;
  requestedAt: number;
}

/** Runs that left a build; see `runs_left_build`. */
interface LeftBuildFact {
  acceptedBy: string;
  version: string;
  runs: number;
  firstAt: number;
  lastAt: number;
}

export interface DiskFact {
  folder: string;
  freeBytes: number;
  totalBytes: number;
}

export interface AlertFacts {
  failures: readonly FailureFact[];
  matches: readonly MatchFact[];
  queues: readonly QueueFact[];
  approvals: readonly ApprovalFact[];
  keys: readonly Key[];
  due: readonly DueRuns[];
  blocked: readonly BlockedRuns[];
  leftBuilds: readonly LeftBuildFact[];
  disks: readonly DiskFact[];
}

/** The causes that the rules find in these facts. A rule that is off finds none. */
export function findCauses(rules: AlertRules, facts: AlertFacts, now: number): Finding[] {
  return [
    ...findFailures(rules, facts, now),
    ...findMismatches(rules, facts, now),
    ...findFullQueues(rules, facts, now),
    ...findApprovals(rules, facts, now),
    ...findExpiringKeys(rules, facts, now),
    ...findBlockedWorkers(rules, facts, now),
    ...findLateRuns(rules, facts, now),
    ...findLeftBuilds(rules, facts, now),
    ...findFullDisks(rules, facts, now),
  ];
}

/** Until no run of the target has failed for a while. */
function findFailures({ runFailed }: AlertRules, { failures }: AlertFacts, now: number): Finding[] {
  if (!runFailed) return [];
  return failures
    .filter(({ lastAt }) => lastAt > now - runFailed.quietMs)
    .map(({ target, runs, ...fact }) => ({ kind: "run_failed", subject: target, ...fact, detail: { runs } }));
}

/**
 * A delivery is a mismatch if no trigger matched it, and not only because of a `filter`. The counters have the verdicts
 * of each trigger, not of each delivery. So on an endpoint whose triggers have filters, this is a lower bound. A typed
 * source evaluates only its own events: each that does not match is a mismatch.
 */
function findMismatches({ mismatches: rule }: AlertRules, { matches }: AlertFacts, now: number): Finding[] {
  if (!rule) return [];
  return matches.flatMap(({ endpoint, evaluated, accepted, stoppedLater, wrongEvents }) => {
    const count = Math.max(wrongEvents, evaluated - accepted - stoppedLater);
    if (evaluated < rule.atLeast || count / evaluated < rule.share) return [];
    const detail = { mismatches: count, deliveries: evaluated, withinMs: rule.withinMs };
    return [{ kind: "mismatches" as const, subject: endpoint, count, firstAt: now, lastAt: now, detail }];
  });
}

function findFullQueues({ queueFull }: AlertRules, { queues }: AlertFacts, now: number): Finding[] {
  if (!queueFull) return [];
  return queues
    .filter(({ queued, maxQueued }) => queued >= maxQueued)
    .map(({ target, queued, maxQueued }) => once("queue_full", target, now, { queued, maxQueued }));
}

function findApprovals({ approvalPending: rule }: AlertRules, { approvals }: AlertFacts, now: number): Finding[] {
  if (!rule) return [];
  // A run can wait for several approvals: the oldest counts.
  const oldest = new Map<string, ApprovalFact>();
  for (const fact of approvals)
    if (fact.requestedAt <= now - rule.afterMs && fact.requestedAt <= (oldest.get(fact.runId)?.requestedAt ?? Infinity))
      oldest.set(fact.runId, fact);
  return [...oldest.values()].map(({ runId, target, requestedAt }) =>
    once("approval_pending", runId, now, { target, requestedAt: new Date(requestedAt).toISOString() }),
  );
}

/** A key that was replaced by a rotation expires on purpose. */
function findExpiringKeys({ keyExpiring: rule }: AlertRules, { keys }: AlertFacts, now: number): Finding[] {
  if (!rule) return [];
  return keys
    .filter((key) => expiresSoon(key, now, rule.beforeMs))
    .map(({ id, kind, name, expiresAt }) => once("key_expiring", id, now, { name, keyKind: kind, expiresAt }));
}

function findBlockedWorkers({ workersBlocked: rule }: AlertRules, { blocked }: AlertFacts, now: number): Finding[] {
  if (!rule) return [];
  const old = blocked.filter((runs) => runs.reason !== "busy" && runs.since <= now - rule.afterMs);
  return oldestOfPools(old, ({ since }) => since).map((runs) =>
    once("workers_blocked", runs.pool, now, {
      runs: runs.runs,
      since: new Date(runs.since).toISOString(),
      reason: runs.reason,
      text: describeBlockedRuns(runs),
    }),
  );
}

/** Runs whose workers are blocked have an alert of their own. */
function findLateRuns({ runsLate: rule }: AlertRules, { due, blocked }: AlertFacts, now: number): Finding[] {
  if (!rule) return [];
  const causeOf = (runs: DueRuns) => blocked.find((one) => one.pool === runs.pool && one.version === runs.version);
  const late = due.filter(
    (runs) => runs.oldestAt <= now - rule.afterMs && (causeOf(runs)?.reason ?? "busy") === "busy",
  );
  return oldestOfPools(late, ({ oldestAt }) => oldestAt).map((runs) => {
    const cause = causeOf(runs);
    return once("runs_late", runs.pool, now, {
      runs: runs.runs,
      since: new Date(runs.oldestAt).toISOString(),
      reason: cause?.reason ?? null,
      text: cause ? describeBlockedRuns(cause) : describeDueRuns(runs),
    });
  });
}

/** Until no run has left the build for a while. */
function findLeftBuilds({ runsLeftBuild: rule }: AlertRules, { leftBuilds }: AlertFacts, now: number): Finding[] {
  if (!rule) return [];
  return leftBuilds
    .filter(({ lastAt }) => lastAt > now - rule.quietMs)
    .map(({ firstAt, ...left }) => ({ ...leftBuildFinding(left, left.lastAt), firstAt }));
}

/** The cause of the alert about runs that have just left a build. */
export function leftBuildFinding(left: { acceptedBy: string; version: string; runs: number }, at: number): Finding {
  const { acceptedBy, version, runs } = left;
  return {
    kind: "runs_left_build",
    subject: acceptedBy,
    count: runs,
    firstAt: at,
    lastAt: at,
    detail: { acceptedBy, version },
  };
}

const maxDefaultBytes = 1_000_000_000;

function findFullDisks({ diskSpace: rule }: AlertRules, { disks }: AlertFacts, now: number): Finding[] {
  if (!rule) return [];
  return disks
    .filter(({ freeBytes, totalBytes }) => freeBytes < (rule.belowBytes ?? Math.min(totalBytes / 10, maxDefaultBytes)))
    .map(({ folder, freeBytes, totalBytes }) => once("disk_space", folder, now, { freeBytes, totalBytes }));
}

/** Of each pool, the runs that have waited for longest: an alert is about a pool. */
function oldestOfPools<T extends { pool: Pool }>(all: readonly T[], timeOf: (runs: T) => number): T[] {
  const sorted = all.toSorted((a, b) => timeOf(a) - timeOf(b));
  return [...Map.groupBy(sorted, ({ pool }) => pool).values()].flatMap((ofPool) => ofPool.slice(0, 1));
}

function once(kind: AlertKind, subject: string, now: number, detail: Finding["detail"]): Finding {
  return { kind, subject, count: 1, firstAt: now, lastAt: now, detail };
}
