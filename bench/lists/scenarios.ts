import type { RunStatus } from "../../server/contract/run.ts";
import type { VerdictOutcome } from "../../server/contract/delivery.ts";
import type { DeliveryFilter } from "../../server/ports/store/delivery-store.ts";
import type { RunFilter } from "../../server/ports/store/run-store.ts";
import type { PlannedProject } from "../seed/plan-project.ts";

export interface Scenarios {
  runs: RunFilter[];
  deliveries: DeliveryFilter[];
}

/** Every filter of both lists alone, and every pair of them, with values that are common, rare and absent. */
export function listScenarios(
  { endpoints }: PlannedProject,
  p: { now: number; deliveryId: string; runId: string },
): Scenarios {
  const [busy] = endpoints[0] ?? [];
  const [rare] = endpoints.at(-1) ?? [];
  if (!busy || !rare) throw new Error("a project without triggers has no lists");
  const span = { since: p.now - 20 * 86_400_000, until: p.now - 10 * 86_400_000 };
  const statuses: RunStatus[] = ["completed", "failed", "queued"];
  const runs: RunFilter[] = [
    { trigger: busy.slug },
    { trigger: rare.slug },
    { target: busy.workflow, targetKind: "workflow" },
    { targetKind: "agent" },
    ...statuses.map((status) => ({ status })),
    { version: "v3" },
    { replayOf: p.runId },
    { delivery: p.deliveryId },
    span,
    { text: "lovelace" },
    { text: "nowhere to be found" },
  ];
  const missed: VerdictOutcome[] = ["request_mismatch", "filter_mismatch"];
  const deliveries: DeliveryFilter[] = [
    { endpoint: busy.endpoint },
    { endpoint: rare.endpoint },
    { outcome: "accepted" },
    { outcome: "rejected" },
    { outcome: "repeated" },
    { status: 202 },
    { status: 400 },
    { endpoint: busy.endpoint, verdict: { trigger: busy.slug, outcomes: ["matched"] } },
    { endpoint: busy.endpoint, verdict: { trigger: busy.slug, outcomes: missed } },
    { endpoint: busy.endpoint, verdict: { trigger: busy.slug, outcomes: ["disabled"] } },
    { verdict: { trigger: rare.slug, outcomes: ["matched"] } },
    { redeliveryOf: p.deliveryId },
    span,
    { text: "lovelace" },
    { text: "nowhere to be found" },
  ];
  return { runs: [{}, ...runs, ...pairs(runs)], deliveries: [{}, ...deliveries, ...pairs(deliveries)] };
}

/** Two filters at once, if they concern different properties. */
function pairs<Filter extends object>(filters: Filter[]): Filter[] {
  return filters.flatMap((one, n) =>
    filters
      .slice(n + 1)
      .flatMap((other) => (Object.keys(one).some((name) => name in other) ? [] : [{ ...one, ...other }])),
  );
}
