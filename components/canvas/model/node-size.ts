import type { GraphAgent } from "./answers.ts";
import type { ModelNode, TriggerNode } from "./build-model.ts";
import { promptsOf } from "./prompts.ts";
import { shownTools } from "./shown-tools.ts";

/**
 * Sizes are known before anything is drawn, so that nothing is measured and nothing jumps. The nodes are drawn with
 * these very numbers.
 */
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

/** The model has a line, and each tool that is shown. */
function agentHeight(agent: GraphAgent): number {
  const { shown, others } = shownTools(agent);
  return lineHeight * (1 + shown.length + (others > 0 ? 1 : 0)) + 2;
}

/** Each condition has a line of its own; without any, one line says so. */
function conditionLines(trigger: TriggerNode): number {
  return Math.max(1, trigger.conditions.length);
}

/** Where the columns begin: endpoints, triggers, targets. The gaps leave room for the numbers on the edges. */
export const columns: Record<ModelNode["kind"], number> = {
  endpoint: 0,
  trigger: 244 + 148,
  target: 244 + 148 + 268 + 112,
};
