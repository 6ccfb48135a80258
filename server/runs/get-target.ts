import type { Json, JsonSchemaObject } from "../contract/json.ts";
import type { Manifest, ManifestAgent, ManifestTrigger, RetryPolicy } from "../contract/project/manifest.ts";
import type { ModelPrice } from "../contract/project/settings.ts";
import type { Target } from "../contract/project/target.ts";
import { findPrice } from "../domain/runs/model-prices.ts";
import { exampleBody } from "../domain/schema/example-body.ts";
import type { ProjectReader } from "../ports/project.ts";
import { findTarget } from "./find-target.ts";

export interface TargetDetails extends Target {
  file: string;
  input: JsonSchemaObject;
  output: JsonSchemaObject | null;
  retries: RetryPolicy;
  timeoutMs: number;
  concurrency: number | null;
  maxQueued: number | null;
  /** A generated example input. */
  example: Json;
  /** What starts it. */
  attachments: { attachmentId: string; trigger: string; endpoint: string; prompt: ManifestTrigger["prompt"] }[];
  /** `null`: it is a workflow. */
  agent: AgentDetails | null;
}

interface AgentDetails extends Pick<
  ManifestAgent,
  "model" | "instructions" | "tools" | "maxSteps" | "maxToolCalls" | "budget" | "callTimeoutMs"
> {
  /** The price used for its runs; `null` if the price of its model is unknown. */
  price: ModelPrice | null;
}

/** Returns one target of the active project. Throws AppError `not_found`. */
export function getTarget(deps: { project: ProjectReader }, target: Target): TargetDetails {
  const { manifest } = deps.project.current();
  const { slug, file, input, output, retries, timeoutMs, concurrency, maxQueued } = findTarget(manifest, target);
  const attached = manifest.triggers.filter(
    (trigger) => trigger.target.kind === target.kind && trigger.target.slug === slug,
  );
  return {
    kind: target.kind,
    slug,
    file,
    input,
    output,
    retries,
    timeoutMs,
    concurrency,
    maxQueued,
    example: exampleBody(input, null),
    attachments: attached.map(({ attachmentId, slug: trigger, endpoint, prompt }) => ({
      attachmentId,
      trigger,
      endpoint,
      prompt,
    })),
    agent: target.kind === "agent" ? agentDetails(manifest, slug) : null,
  };
}

function agentDetails({ agents, settings }: Manifest, slug: string): AgentDetails | null {
  const agent = agents.find((other) => other.slug === slug);
  if (!agent) return null;
  const { model, instructions, tools, maxSteps, maxToolCalls, budget, callTimeoutMs } = agent;
  return {
    model,
    instructions,
    tools,
    maxSteps,
    maxToolCalls,
    budget,
    callTimeoutMs,
    price: findPrice(model.modelId, settings.modelPrices),
  };
}
