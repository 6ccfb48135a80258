import type { AgentTrace } from "../../../server/contract/agent/trace.ts";
import type { WaterfallRow } from "../waterfall.ts";
import { readStepName, sayStepName } from "./step-name.ts";

/**
 * Readable labels for the rows of an agent run. A step stored as failed or denied is shown as such. For the engine it
 * succeeded, because its result was sent to the model.
 */
export function nameAgentRows(rows: readonly WaterfallRow[], trace: AgentTrace | undefined): WaterfallRow[] {
  const outcomes = new Map(trace?.steps.map(({ name, step }) => [name, stateOf(step)]));
  return rows.map((row) => {
    const name = row.entry.name;
    const read = name === null || row.kind === "log" || row.kind === "event" ? null : readStepName(name);
    if (!read) return row;
    const outcome = row.state === "ok" && name !== null ? outcomes.get(name) : undefined;
    return { ...row, label: sayStepName(read), of: read.kind, state: outcome ?? row.state };
  });
}

function stateOf(step: AgentTrace["steps"][number]["step"]): WaterfallRow["state"] {
  if (step.type === "model_failure") return "failed";
  if (step.type !== "tool" || step.outcome === "done") return "ok";
  return step.outcome === "refused" ? "stopped" : "failed";
}
