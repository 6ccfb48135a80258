import { formatNumber } from "../../server/shared/format.ts";
import {
  type Activity,
  type EndpointActivity,
  endpointId,
  routeId,
  type TargetActivity,
  targetId,
  type VerdictCounts,
} from "./canvas-model.ts";

/** Counts of an edge within the time window: deliveries that passed it, and deliveries that stopped there, by stage. */
export interface Evidence {
  passed: number;
  headers: number;
  query: number;
  request: number;
  filter: number;
  disabled: number;
}

const noEvidence: Evidence = { passed: 0, headers: 0, query: 0, request: 0, filter: 0, disabled: 0 };

/** Counts of one trigger. Its attachments share their schemas, so a delivery counts once. */
export function evidenceOfTrigger(activities: readonly VerdictCounts[]): Evidence {
  if (activities.length === 0) return noEvidence;
  const max = (pick: (activity: VerdictCounts) => number) => Math.max(...activities.map(pick));
  return {
    passed: max(({ matched }) => matched),
    headers: max((one) => one.headers_mismatch),
    query: max((one) => one.query_mismatch),
    request: max((one) => one.request_mismatch),
    filter: max((one) => one.filter_mismatch),
    disabled: Math.min(...activities.map(({ disabled }) => disabled)),
  };
}

export function stoppedCount({ headers, query, request, filter, disabled }: Evidence): number {
  return headers + query + request + filter + disabled;
}

/** `12 stopped by request, 10 by filter`. */
export function describeStopped({ headers, query, request, filter, disabled }: Evidence): string {
  const stages = [
    [headers, "by headers"],
    [query, "by query"],
    [request, "by request"],
    [filter, "by filter"],
    [disabled, "while disabled"],
  ] as const;
  const parts = stages
    .filter(([count]) => count > 0)
    .map(([count, stage], index) => `${formatNumber(count)} ${index === 0 ? "stopped " : ""}${stage}`);
  return parts.length === 0 ? "none stopped" : parts.join(", ");
}

/** The list of exactly the deliveries that a number counts. */
export function deliveriesHref({
  endpoint,
  trigger,
  verdict,
  since,
}: {
  endpoint: string;
  trigger?: string;
  verdict?: "matched" | "stopped";
  since?: string;
}): string {
  const query = new URLSearchParams({
    endpoint,
    ...(trigger && { trigger }),
    ...(verdict && { verdict }),
    ...(since && { since }),
  });
  return `/deliveries?${query}`;
}

/** The traffic of the loaded nodes. Unchanged values stay the same object, so that selectors can return them. */
export interface Traffic {
  /** Returns whether a value changed. */
  feed(activity: Activity): boolean;
  endpoint(id: string): EndpointActivity | undefined;
  target(id: string): TargetActivity | undefined;
  /** The counts of a trigger (all its attachments) or of a route. */
  evidence(counts: readonly string[]): Evidence | undefined;
  /** Start of the counted time window; `null` before data is loaded. */
  since(): string | null;
}

export function createTraffic(): Traffic {
  const endpoints = new Map<string, EndpointActivity>();
  const targets = new Map<string, TargetActivity>();
  const counted = new Map<string, VerdictCounts>();
  const computed = new WeakMap<readonly string[], Evidence>();
  let since: string | null = null;

  return {
    feed(activity) {
      since = activity.since;
      const changes = [
        ...activity.endpoints.map((one) => put(endpoints, endpointId(one.endpoint), one)),
        ...activity.targets.map((one) => put(targets, targetId(one.target), one)),
        ...activity.triggers.map(({ attachmentId, ...counts }) => put(counted, attachmentId, counts)),
        ...activity.routes.map(({ endpoint, target, ...counts }) =>
          put(counted, routeId(endpointId(endpoint), target), counts),
        ),
      ];
      return changes.some(Boolean);
    },
    endpoint: (id) => endpoints.get(id),
    target: (id) => targets.get(id),
    evidence(counts) {
      const known = counts.flatMap((id) => counted.get(id) ?? []);
      if (known.length === 0) return undefined;
      const evidence = evidenceOfTrigger(known);
      const before = computed.get(counts);
      if (before && isEqual(before, evidence)) return before;
      computed.set(counts, evidence);
      return evidence;
    },
    since: () => since,
  };
}

/** Stores a value. Returns whether it changed. */
function put<Value>(map: Map<string, Value>, key: string, value: Value): boolean {
  const isChanged = !isEqual(map.get(key), value);
  if (isChanged) map.set(key, value);
  return isChanged;
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
