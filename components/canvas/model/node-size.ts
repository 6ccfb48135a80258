import type { ModelNode, TriggerNode } from "./build-model.ts";

/** Sizes are known before anything is drawn, so that nothing is measured and nothing jumps. The nodes are drawn with these very numbers. */
export interface Size {
  width: number;
  height: number;
}

const conditionHeight = 19;
const widths: Record<ModelNode["kind"], number> = { endpoint: 244, trigger: 268, target: 244 };

export function nodeSize(node: ModelNode): Size {
  const width = widths[node.kind];
  if (node.kind === "endpoint") return { width, height: 98 };
  if (node.kind === "target") return { width, height: 88 };
  return { width, height: 46 + conditionHeight * conditionLines(node) };
}

/** Each condition has a line of its own; without any, one line says so. */
function conditionLines(trigger: TriggerNode): number {
  return Math.max(1, trigger.conditions.length);
}

/** Where the columns begin: endpoints, triggers, targets. The gaps leave room for the numbers on the edges. */
export const columns: Record<ModelNode["kind"], number> = { endpoint: 0, trigger: 244 + 148, target: 244 + 148 + 268 + 112 };
