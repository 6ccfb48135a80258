import { isScriptedModel } from "../contract/agent/scripted-model.ts";
import type { DeliveryOutcome, VerdictOutcome } from "../contract/delivery.ts";
import { hasTarget, type Target } from "../contract/project/target.ts";
import type { Health, Window } from "../contract/traffic.ts";
import { inBatches } from "../domain/event-loop.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { RunStore } from "../ports/store/run-store.ts";
import type {
  DeliveryCount,
  TargetCount,
  TargetSummary,
  TrafficStore,
  VerdictCount,
} from "../ports/store/traffic-store.ts";
import { bucketStarts, frameOfWindow, type TimeFrame } from "./time-frame.ts";
import type { TrafficReader } from "./traffic-reader.ts";

interface EndpointActivity {
  endpoint: string;
  /** By how many deliveries were rejected. */
  health: Health;
  outcomes: OutcomeCounts;
  /** Without gaps; `at` is the start of the bucket, ISO 8601. */
  buckets: { at: string; count: number; rejected: number }[];
  /** Time of the last delivery, even before the window. */
  lastAt: string | null;
}

/** The number of deliveries that passed an attachment, and of those that it stopped, by reason. */
type AttachmentActivity = { attachmentId: string } & Record<VerdictOutcome, number>;

/**
 * The number of deliveries to an endpoint that any of its triggers passed to a target, and of those that none did. Each
 * is counted once, by its best verdict.
 */
type RouteActivity = { endpoint: string; target: string } & Record<VerdictOutcome, number>;

export interface Activity {
  since: string;
  until: string;
  bucketMs: number;
  endpoints: EndpointActivity[];
  triggers: AttachmentActivity[];
  /** One for each pair of endpoint and target that several triggers connect. */
  routes: RouteActivity[];
  targets: TargetActivity[];
}

interface TargetActivity extends TargetSummary {
  /** Based on the runs that ended in the window. */
  health: Health;
  /** Runs that wait for an approval, regardless of the window. At most the newest 100 of all agents are counted. */
  waitingForApproval: number;
  /**
   * A model answered the last run, although the agent of the current build has a scripted one. See `modelBeyondBuild`
   * of a conversation.
   */
  hasModelBeyondBuild: boolean;
}

const maxHeld = 100;

/** Traffic of these endpoints and targets in a window that ends now. Complete buckets from `since` are counted. */
export async function showActivity(
  deps: {
    store: Pick<TrafficStore, "summarizeTargets"> & Pick<RunStore, "listRuns">;
    traffic: TrafficReader;
    project: ProjectReader;
    clock: Clock;
  },
  request: { window: Window; endpoints: readonly string[]; targets: readonly Target[] },
): Promise<Activity> {
  const now = deps.clock.now();
  const endpoints = [...new Set(request.endpoints)];
  const frame = frameOfWindow(request.window, now);
  const { deliveries, verdicts, targets, lastTimes } = await deps.traffic.read({ endpoints, frame, now });
  const summaries = await inBatches(request.targets, {
    size: targetsAtOnce,
    work: (targets) => deps.store.summarizeTargets({ targets, since: frame.since }),
  });
  const held = request.targets.some(({ kind }) => kind === "agent")
    ? (await deps.store.listRuns({ needsApproval: true }, { limit: maxHeld, cursor: null })).data
    : [];
  const byEndpoint = Map.groupBy(deliveries, ({ endpoint }) => endpoint);
  const byRoute = Map.groupBy(targets, routeOf);
  const byAttachment = Map.groupBy(verdicts, ({ attachmentId }) => attachmentId);
  return {
    since: new Date(frame.since).toISOString(),
    until: new Date(frame.until).toISOString(),
    bucketMs: frame.bucketMs,
    endpoints: endpoints.map((endpoint, index) =>
      describeEndpoint({ endpoint, counts: byEndpoint.get(endpoint) ?? [], frame, lastAt: lastTimes[index] ?? null }),
    ),
    triggers: attachmentsOn(deps.project, endpoints).map((attachmentId) =>
      describeAttachment(attachmentId, byAttachment.get(attachmentId) ?? []),
    ),
    routes: routesOn(deps.project, endpoints).map((route) => ({
      ...route,
      ...sumVerdicts(byRoute.get(routeOf(route)) ?? []),
    })),
    targets: summaries.map((summary) => ({
      ...summary,
      health: healthOf({ good: summary.completed, bad: summary.failed }),
      waitingForApproval: held.filter(
        ({ target }) => target.kind === summary.target.kind && target.slug === summary.target.slug,
      ).length,
      hasModelBeyondBuild: hasModelBeyondBuild(deps.project, summary),
    })),
  };
}

const targetsAtOnce = 20;

/** Scripted models use no tokens. */
function hasModelBeyondBuild(project: ProjectReader, { target, lastRun }: TargetSummary): boolean {
  const { version, agents } = project.current().manifest;
  const agent = target.kind === "agent" ? agents.find(({ slug }) => slug === target.slug) : undefined;
  return (
    agent !== undefined && isScriptedModel(agent.model) && lastRun?.version === version && (lastRun.tokens ?? 0) > 0
  );
}

function healthOf({ good, bad }: { good: number; bad: number }): Health {
  if (good + bad === 0) return "unknown";
  if (bad === 0) return "healthy";
  return bad > good ? "failing" : "degraded";
}

function attachmentsOn(project: ProjectReader, endpoints: readonly string[]): string[] {
  const asked = new Set(endpoints);
  return project
    .current()
    .manifest.triggers.flatMap(({ endpoint, attachmentId }) => (asked.has(endpoint) ? [attachmentId] : []));
}

function routesOn(project: ProjectReader, endpoints: readonly string[]): Pick<RouteActivity, "endpoint" | "target">[] {
  const asked = new Set(endpoints);
  const routes = project
    .current()
    .manifest.triggers.filter(hasTarget)
    .filter(({ endpoint }) => asked.has(endpoint))
    .map(({ endpoint, target }) => ({ endpoint, target: target.slug }));
  return [...Map.groupBy(routes, routeOf).values()].flatMap(([route, ...others]) =>
    route && others.length > 0 ? [route] : [],
  );
}

function routeOf({ endpoint, target }: Pick<TargetCount, "endpoint" | "target">): string {
  return `${endpoint} ${target}`;
}

function describeEndpoint(p: {
  endpoint: string;
  counts: readonly DeliveryCount[];
  frame: TimeFrame;
  lastAt: string | null;
}): EndpointActivity {
  const byBucket = Map.groupBy(
    p.counts,
    ({ at }) => p.frame.since + Math.floor((at - p.frame.since) / p.frame.bucketMs) * p.frame.bucketMs,
  );
  const buckets = bucketStarts(p.frame).map((at) => {
    const outcomes = sumOutcomes(byBucket.get(at) ?? []);
    return {
      at: new Date(at).toISOString(),
      count: countAll(outcomes),
      rejected: outcomes.rejected,
    };
  });
  const outcomes = sumOutcomes(p.counts);
  const health = healthOf({ good: countAll(outcomes) - outcomes.rejected, bad: outcomes.rejected });
  return { endpoint: p.endpoint, health, outcomes, buckets, lastAt: p.lastAt };
}

function describeAttachment(attachmentId: string, verdicts: readonly VerdictCount[]): AttachmentActivity {
  return { attachmentId, ...sumVerdicts(verdicts) };
}

function sumVerdicts(counts: readonly { outcome: VerdictOutcome; count: number }[]): Record<VerdictOutcome, number> {
  const sums: Record<VerdictOutcome, number> = {
    matched: 0,
    headers_mismatch: 0,
    query_mismatch: 0,
    request_mismatch: 0,
    filter_mismatch: 0,
    disabled: 0,
  };
  for (const { outcome, count } of counts) sums[outcome] += count;
  return sums;
}

type OutcomeCounts = Record<DeliveryOutcome, number>;

function sumOutcomes(counts: readonly DeliveryCount[]): OutcomeCounts {
  const sums: OutcomeCounts = { accepted: 0, skipped: 0, rejected: 0, repeated: 0, held: 0 };
  for (const { outcome, count } of counts) sums[outcome] += count;
  return sums;
}

function countAll(outcomes: OutcomeCounts): number {
  return Object.values(outcomes).reduce((sum, count) => sum + count, 0);
}
