import type { RunWait } from "../../contract/run.ts";
import { formatNumber } from "../format.ts";

/** Why a run that is due does not start: `key customer_7: behind run_…`, `concurrency 10/10`. */
export function describeWait(wait: RunWait, { key }: { key: string | null }): string {
  if (wait.kind === "concurrency") return `concurrency ${formatNumber(wait.counted)}/${formatNumber(wait.limit)}`;
  const { runId, isBlocked } = wait;
  return `key ${key ?? ""}: ${isBlocked ? "blocked by" : "behind"} ${runId ?? "another run"}${isBlocked ? ", which has failed" : ""}`;
}
