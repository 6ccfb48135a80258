import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { z } from "zod";
import { type AgentDefinition, type PromptDefinition } from "../../../../sdk/definition.ts";
import { defineAgent } from "../../../../sdk/agent/define-agent.ts";
import { agentInputJsonSchema } from "../../../contract/agent/input.ts";
import { agentStepSchema } from "../../../contract/agent/trace.ts";
import { parseDuration } from "../../../../sdk/duration.ts";
import { type ManifestAgent, manifestAgentSchema } from "../../../contract/project/manifest.ts";
import { silentLogger } from "../../../ports/logger.ts";
import type { ProjectCode } from "../../../ports/project.ts";
import type { AssignedRun, ProgressWriter } from "../../../ports/run-channel.ts";
import type { NewRun } from "../../../ports/store/new-run.ts";
import { toAgent } from "../../../project/load-code.ts";
import { createEngineHarness } from "../../testing/engine-harness.ts";
import { type RunHandle, executeRun } from "../../execute-run.ts";
import { startScriptedProvider } from "./scripted-provider.ts";

type AgentOptions = Partial<Parameters<typeof defineAgent>[0]> & {
  built?: Partial<ManifestAgent>;
  prompt?: PromptDefinition;
  prices?: ProjectCode["manifest"]["settings"]["modelPrices"];
};

/** Runs of agents against a scripted provider over real HTTP, with a real store and a clock that only tests move. */
export async function createAgentHarness(
  script: Parameters<typeof startScriptedProvider>[0],
  options: AgentOptions = {},
) {
  const engine = await createEngineHarness();
  const provider = await startScriptedProvider(script);
  const { built = {}, prompt, prices, ...rest } = options;
  const model = createOpenAICompatible({
    name: "scripted",
    baseURL: provider.baseURL,
    apiKey: "sk-never-to-be-seen",
    includeUsage: true,
    supportsStructuredOutputs: true,
  })("scripted-1");
  const definition: AgentDefinition = defineAgent({ slug: "triage", model, instructions: "You sort mail.", ...rest });
  const agent: ManifestAgent = { ...buildAgent(definition), ...built };
  const base = engine.code({ run: () => null });
  const code: ProjectCode = {
    ...base,
    manifest: { ...base.manifest, agents: [agent], settings: prices ? { modelPrices: prices } : {} },
    agent: async (slug) => (slug === "triage" ? toAgent(slug, definition) : null),
    trigger: async () => ({ request: z.looseObject({}) as never, transform: null, prompt: prompt ?? null }),
  };

  const execute = (run: AssignedRun, progress: ProgressWriter = engine.store): RunHandle =>
    executeRun(run, { progress, code, clock: engine.clock, logger: silentLogger, random: () => 0.5 });

  return {
    ...engine,
    provider,
    execute,
    start: (run: Partial<NewRun> = {}) =>
      engine.createRun({ target: { kind: "agent", slug: "triage" }, input: { prompt: "Hello" }, ...run }),
    /** Claims and executes once. Returns the resulting status of the run. */
    async stretch(): Promise<string | null> {
      return (await execute(await engine.claim()).ended).status;
    },
    /** Executes until the run has ended. Waits end at once. */
    async finish(id: string) {
      for (;;) {
        const status = (await engine.store.getRun(id))?.status;
        if (status === "waiting")
          engine.advance(((await engine.store.nextAvailableAt("shared")) ?? engine.clock.now()) - engine.clock.now());
        else if (status !== "queued") return await engine.read(id);
        await this.stretch();
      }
    },
    /** The results of an agent's steps, by their names. Other steps are omitted. */
    async steps(id: string) {
      const steps = await engine.store.loadSteps(id);
      return new Map(
        steps.flatMap(({ name, result }) => {
          const parsed = agentStepSchema.safeParse(result);
          return parsed.success ? [[name, parsed.data] as const] : [];
        }),
      );
    },
    async close() {
      await engine.close();
      await provider.close();
    },
  };
}

/** The agent as the build describes it. */
function buildAgent(definition: AgentDefinition): ManifestAgent {
  const { slug, model, instructions, tools, output, maxSteps, maxToolCalls, budget } = definition;
  return manifestAgentSchema.parse({
    slug,
    file: `agents/${slug}.ts`,
    module: `code/agents/${slug}.mjs`,
    input: agentInputJsonSchema,
    output: output instanceof z.ZodType ? z.record(z.string(), z.json()).parse(z.toJSONSchema(output)) : null,
    retries: { attempts: 1, backoff: "fixed", initialMs: 0, maxMs: 0 },
    timeoutMs: 60_000,
    model: { provider: model.provider, modelId: model.modelId },
    instructions,
    tools: Object.entries(tools).map(([name, tool]) => ({
      name,
      description: String(tool.description),
      inputSchema:
        tool.inputSchema instanceof z.ZodType
          ? z.record(z.string(), z.json()).parse(z.toJSONSchema(tool.inputSchema))
          : {},
      needsApproval:
        typeof tool.needsApproval === "function" ? "sometimes" : tool.needsApproval === true ? "always" : "never",
      approvalTimeoutMs: parseDuration(tool.approvalTimeout ?? "30d") ?? 1,
    })),
    maxSteps,
    maxToolCalls,
    budget,
    callTimeoutMs: 30_000,
  });
}
