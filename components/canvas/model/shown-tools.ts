import type { GraphAgent } from "./answers.ts";

/** Maximum number of tools on the canvas. The sheet shows all of them. */
const maxShown = 4;

/** The tools that an agent's node shows, tools that need approval first. `others`: the number of tools not shown. */
export function shownTools({ tools }: Pick<GraphAgent, "tools">): { shown: GraphAgent["tools"]; others: number } {
  const shown =
    tools.length <= maxShown
      ? tools
      : tools.toSorted((one, other) => approvalRank(other) - approvalRank(one)).slice(0, maxShown - 1);
  return { shown, others: tools.length - shown.length };
}

function approvalRank({ needsApproval }: GraphAgent["tools"][number]): number {
  return needsApproval === "never" ? 0 : 1;
}
