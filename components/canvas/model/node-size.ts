import type { GraphAgent } from "./answers.ts";
import type { ModelNode, TriggerNode } from "./build-model.ts";
import { promptsOf } from "./prompts.ts";
import { shownTools } from "./shown-tools.ts";

/** Node sizes are known before rendering, so nothing is measured and the layout does not shift. */
export interface Size {
  width: number;
  height: number;
}

const lineHeight = 19;
const widths: Record<ModelNode["kind"], number> = { endpoint: 244, trigger: 268, target: 244 };

export function nodeSize(node: ModelNode): Size {
  const width = widths[node.kind];
  if (node.kind === "endpoint") return { width, height: 98 };
  if (node.kind === "target") return { width, height: 88 + (node.target.agent ? agentHeight(node.target.agent) : 0) };
  return { width, height: 46 + lineHeight * (conditionLines(node) + promptsOf(node).length) };
}

/** One line for the model, and one per shown tool. */
function agentHeight(agent: GraphAgent): number {
  const { shown, others } = shownTools(agent);
  return lineHeight * (1 + shown.length + (others > 0 ? 1 : 0)) + 2;
}

/** One line per condition. Without conditions, one line says so. */
function conditionLines(trigger: TriggerNode): number {
  return Math.max(1, trigger.conditions.length);
}

/** The x positions of the columns. The gaps leave space for the counts on the edges. */
export const columns: Record<ModelNode["kind"], number> = {
  endpoint: 0,
  trigger: 244 + 148,
  target: 244 + 148 + 268 + 112,
};
