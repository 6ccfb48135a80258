import type { GraphAgent } from "./answers.ts";

/** So many tools are named on the canvas; the sheet has all of them. */
const most = 4;

/**
 * The tools that an agent's node names, those that ask first before the others: they are what one looks for. `others`:
 * how many more there are.
 */
export function shownTools({ tools }: Pick<GraphAgent, "tools">): { shown: GraphAgent["tools"]; others: number } {
  const shown =
    tools.length <= most ? tools : tools.toSorted((one, other) => asks(other) - asks(one)).slice(0, most - 1);
  return { shown, others: tools.length - shown.length };
}

function asks({ needsApproval }: GraphAgent["tools"][number]): number {
  return needsApproval === "never" ? 0 : 1;
}
