import type { VerdictCounts } from "./answers.ts";
import { formatNumber } from "../../../server/domain/format.ts";

/** Counts of an edge within the time window: deliveries that passed it, and deliveries that stopped there, by stage. */
export interface Evidence {
  passed: number;
  request: number;
  filter: number;
  disabled: number;
}

const noEvidence: Evidence = { passed: 0, request: 0, filter: 0, disabled: 0 };

/** Counts of one trigger. Its attachments share request and filter, so a delivery counts once. */
export function evidenceOfTrigger(activities: readonly VerdictCounts[]): Evidence {
  if (activities.length === 0) return noEvidence;
  const max = (pick: (activity: VerdictCounts) => number) => Math.max(...activities.map(pick));
  return {
    passed: max(({ matched }) => matched),
    request: max((one) => one.request_mismatch),
    filter: max((one) => one.filter_mismatch),
    disabled: Math.min(...activities.map(({ disabled }) => disabled)),
  };
}

export function stoppedCount({ request, filter, disabled }: Evidence): number {
  return request + filter + disabled;
}

/** `12 stopped by request, 10 by filter`. */
export function describeStopped({ request, filter, disabled }: Evidence): string {
  const stages = [
    [request, "by request"],
    [filter, "by filter"],
    [disabled, "while switched off"],
  ] as const;
  const parts = stages
    .filter(([count]) => count > 0)
    .map(([count, stage], index) => `${formatNumber(count)} ${index === 0 ? "stopped " : ""}${stage}`);
  return parts.length === 0 ? "none stopped" : parts.join(", ");
}

/** The list of exactly the deliveries that a number counts. */
export function deliveriesHref(p: {
  endpoint: string;
  trigger?: string;
  verdict?: "matched" | "stopped";
  since?: string;
}): string {
  const query = new URLSearchParams({
    endpoint: p.endpoint,
    ...(p.trigger && { trigger: p.trigger }),
    ...(p.verdict && { verdict: p.verdict }),
    ...(p.since && { since: p.since }),
  });
  return `/deliveries?${query}`;
}
