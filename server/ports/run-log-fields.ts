import type { Target } from "../contract/target.ts";
import type { ClaimedRun } from "./store.ts";

/**
 * What every line of the log about a run says of it, under the same names everywhere: `workflow` or `agent` is its
 * target.
 */
export type RunLogFields = { runId: string; deliveryId: string | null; attempt: number } & (
  | { workflow: string }
  | { agent: string }
);

export function runLogFields({
  id,
  deliveryId,
  target,
  attempt,
}: Pick<ClaimedRun, "id" | "deliveryId" | "target" | "attempt">): RunLogFields {
  return { runId: id, deliveryId, ...targetLogFields(target), attempt };
}

export function targetLogFields({ kind, slug }: Target): { workflow: string } | { agent: string } {
  return kind === "agent" ? { agent: slug } : { workflow: slug };
}
