import type { z } from "zod";
import { agentStepSchema, type ApprovalDecision, type ApprovalRequest } from "../../contract/agent/trace.ts";
import type { Json } from "../../contract/json.ts";
import type { ManifestAgent } from "../../contract/project/manifest.ts";
import type { ModelPrice } from "../../contract/project/settings.ts";
import type { Spend } from "../../ports/store/engine-store.ts";
import type { LoadedAgent } from "../../ports/project.ts";
import type { ModelMessage } from "../../ports/model.ts";
import type { StepCall } from "../steps/step-tries.ts";
import type { LiveUpdate } from "../run-session.ts";
import type { StepContext, StepFunction } from "../steps/call-step.ts";

/** The context of an agent's run: the steps and sleeps of a workflow, and approvals. */
export interface AgentContext {
  run: { id: string };
  step(name: string, fn: StepFunction, call?: StepCall): Promise<Json>;
  sleep(name: string, durationMs: number): Promise<void>;
  /**
   * Waits for a person's decision, for weeks if necessary, without occupying a worker. A call is denied if the wait
   * times out.
   */
  approve(name: string, request: ApprovalRequest, timeoutMs: number): Promise<ApprovalDecision>;
  /**
   * Publishes the live output of a step's model until the step ends. Never rejects: a run must not fail because of a
   * viewer.
   */
  publishLive(live: LiveUpdate): Promise<void>;
  log: { info(message: string, data?: unknown): void; warn(message: string, data?: unknown): void };
}

export interface AgentRun {
  agent: LoadedAgent;
  built: ManifestAgent;
  ctx: AgentContext;
  /** `null`: not known. */
  price: ModelPrice | null;
  messages: ModelMessage[];
  now: () => number;
  random: () => number;
}

type AgentStepOf<Type extends string> = Extract<z.infer<typeof agentStepSchema>, { type: Type }>;

/** Executes a step of an agent. A stored result is parsed again, because another version may have written it. */
export async function agentStep<Type extends AgentStepOf<string>["type"]>(
  ctx: AgentContext,
  name: string,
  types: readonly Type[],
  fn: (step: StepContext) => Promise<AgentStepOf<Type>> | AgentStepOf<Type>,
  call?: Omit<StepCall, "spendAfter"> & { spendAfter?: (step: z.infer<typeof agentStepSchema>) => Spend | undefined },
): Promise<AgentStepOf<Type>> {
  const { spendAfter, ...more } = call ?? {};
  const step = agentStepSchema.parse(
    await ctx.step(name, fn, {
      ...more,
      ...(spendAfter ? { spendAfter: (result) => spendAfter(agentStepSchema.parse(result)) } : {}),
    }),
  );
  if (isOneOf(step, types)) return step;
  throw new Error(`Step ${name} has a result of the unexpected type ${step.type}.`);
}

function isOneOf<Type extends AgentStepOf<string>["type"]>(
  step: z.infer<typeof agentStepSchema>,
  types: readonly Type[],
): step is AgentStepOf<Type> {
  return types.some((type) => type === step.type);
}
