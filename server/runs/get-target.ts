import { AppError } from "../contract/app-error.ts";
import type { Json, JsonSchemaObject } from "../contract/json.ts";
import type { Manifest, ManifestAgent, ManifestTrigger, ManifestWorkflow } from "../contract/project/manifest.ts";
import type { ModelPrice } from "../contract/project/settings.ts";
import { findBuilt, type Target } from "../contract/project/target.ts";
import { didYouMean } from "../../sdk/did-you-mean.ts";
import { findPrice } from "../domain/runs/model-prices.ts";
import { exampleBody } from "../shared/schema/example-body.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { RunStore } from "../ports/store/run-store.ts";
import { describeLimits } from "./describe-limits.ts";

interface RecentInput {
  runId: string;
  createdAt: string;
  input: Json;
}

const maxInputs = 10;
/** Number of runs to read: many can have the same input. */
const runsToRead = 50;
/** Total size of all inputs: more would delay the list of suggestions. */
const maxBytes = 1024 * 1024;

export interface TargetDetails extends Target {
  file: string;
  input: JsonSchemaObject;
  output: JsonSchemaObject | null;
  /** Retries, timeouts, concurrency and budgets in words. */
  limits: [name: string, text: string][];
  /** A generated example input. */
  example: Json;
  /** What starts it. */
  attachments: { attachmentId: string; trigger: string; endpoint: string; prompt: ManifestTrigger["prompt"] }[];
  /** `null`: it is a workflow. */
  agent: AgentDetails | null;
}

interface AgentDetails extends Pick<ManifestAgent, "model" | "instructions" | "tools" | "budget"> {
  /** The price used for its runs; `null` if the price of its model is unknown. */
  price: ModelPrice | null;
}

/** Returns one target of the active project. Throws AppError `not_found`. */
export function getTarget(deps: { project: ProjectReader }, target: Target): TargetDetails {
  const { manifest } = deps.project.current();
  const found = findTarget(manifest, target);
  const { slug, file, input, output } = found;
  const agent = target.kind === "agent" ? (manifest.agents.find((one) => one.slug === slug) ?? null) : null;
  const attached = manifest.triggers.filter(
    (trigger) => trigger.target?.kind === target.kind && trigger.target.slug === slug,
  );
  return {
    kind: target.kind,
    slug,
    file,
    input,
    output,
    limits: describeLimits(found, agent),
    example: exampleBody(input, null),
    attachments: attached.map(({ attachmentId, slug: trigger, endpoint, prompt }) => ({
      attachmentId,
      trigger,
      endpoint,
      prompt,
    })),
    agent: agent && agentDetails(agent, manifest),
  };
}

function agentDetails(
  { model, instructions, tools, budget }: ManifestAgent,
  { settings }: Pick<Manifest, "settings">,
): AgentDetails {
  return { model, instructions, tools, budget, price: findPrice(model.modelId, settings.modelPrices) };
}

/** A target of the active project: the common part of workflows and agents. Throws AppError `not_found`. */
export function findTarget(manifest: Pick<Manifest, "workflows" | "agents">, target: Target): ManifestWorkflow {
  const built = findBuilt<ManifestWorkflow>(manifest, target);
  if (built) return built;
  const { kind, slug } = target;
  const known: readonly ManifestWorkflow[] = kind === "workflow" ? manifest.workflows : manifest.agents;
  throw new AppError(
    "not_found",
    `There is no ${kind} ${JSON.stringify(slug)} in this project.${didYouMean(
      slug,
      known.map((other) => other.slug),
    )}`,
  );
}

/** The distinct inputs of a target's newest runs. */
export async function recentInputs(
  deps: { store: Pick<RunStore, "listRuns" | "getRun"> },
  target: Target,
): Promise<RecentInput[]> {
  const { data } = await deps.store.listRuns(
    { target: target.slug, targetKind: target.kind },
    { limit: runsToRead, cursor: null },
  );
  const found = new Map<string, RecentInput>();
  let bytes = 0;
  for (const { id, createdAt } of data) {
    const input = (await deps.store.getRun(id))?.input ?? null;
    if (input === null) continue;
    const text = JSON.stringify(input);
    if (found.has(text) || bytes + text.length > maxBytes) continue;
    bytes += text.length;
    found.set(text, { runId: id, createdAt, input });
    if (found.size === maxInputs) break;
  }
  return [...found.values()];
}
