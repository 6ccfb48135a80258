import { type AgentInput, agentInputSchema } from "../../contract/agent/input.ts";
import { findPrice } from "../../domain/runs/model-prices.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LoadedWorkflow, ProjectCode } from "../../ports/project.ts";
import type { ClaimedRun } from "../../ports/store/engine-store.ts";
import type { AgentContext } from "./agent-run.ts";
import { runAgent } from "./run-agent.ts";

/**
 * Returns the agent of a run in the form of a workflow: its input is a prompt, its code the conversation with the
 * model. `null` if the build does not have it.
 */
export async function loadAgent(
  run: ClaimedRun,
  p: { code: ProjectCode; clock: Clock; random: () => number; context: AgentContext },
): Promise<LoadedWorkflow | null> {
  const { code, clock, random } = p;
  const agent = await code.agent(run.target.slug);
  const built = code.manifest.agents.find(({ slug }) => slug === run.target.slug);
  if (!agent || !built) return null;
  const price = findPrice(agent.model.modelId, code.manifest.settings.modelPrices);
  return {
    slug: agent.slug,
    input: {
      safeParse(value) {
        const parsed = agentInputSchema.safeParse(value);
        return parsed.success
          ? parsed
          : { success: false, error: { issues: parsed.error.issues.map((issue) => ({ ...issue })) } };
      },
    },
    // The output is already parsed: the model could still correct it at that point.
    output: null,
    run: (input) => runAgent({ agent, built, ctx: p.context, price, now: clock.now, random }, input as AgentInput),
  };
}
