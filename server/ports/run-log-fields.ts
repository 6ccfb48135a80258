import type { Target } from "../contract/target.ts";
import type { ClaimedRun } from "./store.ts";

/** The fields of every log line about a run. `workflow` or `agent` is its target. */
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
