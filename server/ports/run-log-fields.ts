import type { ClaimedRun } from "./store.ts";

/** What every line of the log about a run says of it, under the same names everywhere. */
export interface RunLogFields {
  runId: string;
  deliveryId: string | null;
  workflow: string;
  attempt: number;
}

export function runLogFields({ id, deliveryId, target, attempt }: Pick<ClaimedRun, "id" | "deliveryId" | "target" | "attempt">): RunLogFields {
  return { runId: id, deliveryId, workflow: target.slug, attempt };
}
