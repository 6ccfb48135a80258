import type { AgentInput } from "../../contract/agent/input.ts";
import type { ModelStep } from "../../contract/agent/trace.ts";
import type { Json, JsonSchemaObject } from "../../contract/json.ts";
import { agentStepNames } from "../../domain/runs/agent-steps.ts";
import { addSpend, type AgentSpend, costOf, findPrice, nothingSpent } from "../../domain/runs/model-prices.ts";
import { agentInput } from "../../matching/schemas/agent-input.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ModelMessage, ModelRequest } from "../../ports/model.ts";
import type { LoadedWorkflow, ProjectCode } from "../../ports/project.ts";
import type { AssignedRun } from "../../ports/run-channel.ts";
import { FinalFailure } from "../run-errors.ts";
import { type AgentContext, type AgentRun, agentStep } from "./agent-run.ts";
import { answerSchema, readOutput } from "./answer.ts";
import { callModel } from "./call-model.ts";
import { callTools } from "./call-tools.ts";
import { createLiveOutput } from "./live-output.ts";
import { planModelFailure } from "./model-failure.ts";
import { delimitPrompt, explainBoundary, explainResults } from "./prompt.ts";
import { formatDuration, formatNumber, formatUsd } from "../../shared/format.ts";

const maxRepairs = 2;

/**
 * Runs an agent to its end: calls the model, executes its tool calls, and repeats this until the model answers. Every
 * model call and tool call is a step. After a crash, the code runs again with the stored results. Returns the output of
 * the run. Throws FinalFailure `budget_exceeded`, `max_steps_exceeded`, `max_tool_calls_exceeded`, `ModelCallFailed`,
 * `InvalidOutput`, `NoPrice` or `NoUsage`.
 */
async function runAgent(p: Omit<AgentRun, "messages">, input: AgentInput): Promise<Json> {
  if (p.built.budget.usd !== null && !p.price) {
    throw new FinalFailure(
      "NoPrice",
      `Agent ${p.built.slug} has a budget in US dollars, but the price of its model ${p.agent.model.modelId} is unknown. Add it to modelPrices in signalbox.config.ts.`,
    );
  }
  const run: AgentRun = { ...p, messages: await beginConversation(p, input) };
  const used = { spend: nothingSpent, usd: 0 };
  let repairs = 0;
  let toolCalls = 0;
  for (let call = 1; call <= p.built.maxSteps; call += 1) {
    const answer = await askModel(run, call, used.spend);
    spend(run, used, answer);
    run.messages.push(toMessage(answer));
    toolCalls = countToolCalls(run, toolCalls, answer);
    const results = await callTools(run, call, answer);
    if (results.length > 0) {
      run.messages.push({ role: "tool", content: results });
      continue;
    }
    const output = readOutput(p.agent.output, answer);
    if (output.isValid) return output.value;
    if (repairs >= maxRepairs)
      throw new FinalFailure(
        "InvalidOutput",
        `The answer of agent ${p.built.slug} still does not match its output schema after ${maxRepairs} corrections:\n${output.why}`,
      );
    repairs += 1;
    // The timeline and the run's page show the reason: only the model's answers of the conversation are stored.
    p.ctx.log.warn("The answer does not match the output schema. It was sent back to the model.", {
      call,
      why: output.why,
    });
    run.messages.push({
      role: "user",
      content: [
        {
          type: "text",
          text: `Your answer cannot be used:\n${output.why}\nAnswer again with only JSON that matches the schema.`,
        },
      ],
    });
  }
  throw new FinalFailure(
    "max_steps_exceeded",
    `Agent ${p.built.slug} did not finish within ${p.built.maxSteps} model calls. Raise maxSteps, or give the agent a smaller task.`,
  );
}

/** Stored, so that a conversation continues with the same instructions that it started with. */
async function beginConversation(
  { agent, built, ctx }: Omit<AgentRun, "messages">,
  input: AgentInput,
): Promise<ModelMessage[]> {
  const { system, message } = await agentStep(ctx, agentStepNames.prompt, ["prompt"], () => {
    const { message, boundary } = delimitPrompt(input, ctx.run.id);
    const parts = [
      agent.instructions,
      boundary === null ? null : explainBoundary(boundary),
      built.tools.length === 0 ? null : explainResults,
      built.output && explainOutput(built.output),
    ];
    return { type: "prompt", system: parts.filter((part) => part !== null).join("\n\n"), message, boundary };
  });
  return [
    { role: "system", content: system },
    { role: "user", content: [{ type: "text", text: message }] },
  ];
}

/** Not every provider forwards the schema to its model. */
function explainOutput(schema: JsonSchemaObject): string {
  return `Your final answer must be only JSON that matches this JSON Schema:\n${JSON.stringify(answerSchema(schema).schema)}`;
}

/**
 * One model call, retried while its failures allow it. Each try is a separate step, so that its duration is recorded
 * and not repeated.
 */
async function askModel(run: AgentRun, call: number, spent: AgentSpend): Promise<ModelStep> {
  const { ctx } = run;
  for (let tries = 1; ; tries += 1) {
    const name = agentStepNames.model(call, tries);
    const attemptCall = async ({ signal }: { signal: AbortSignal }) => {
      try {
        return await callOnce(run, name, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        return planModelFailure(error, { tries, now: run.now(), random: run.random });
      }
    };
    const step = await agentStep(ctx, name, ["model", "model_failure"], attemptCall, {
      spendAfter: (step) => (step.type === "model" ? addSpend(spent, step) : undefined),
    });
    if (step.type === "model") return step;
    const what = `The model call failed${step.status === null ? "" : ` with status ${step.status}`} (${step.kind}): ${step.message}`;
    if (step.waitMs === null) throw new FinalFailure("ModelCallFailed", what);
    ctx.log.warn(`${what}. It is retried in ${formatDuration(step.waitMs)}.`);
    await ctx.sleep(agentStepNames.pause(name), step.waitMs);
  }
}

async function callOnce(
  { agent, built, messages, price, ctx, now }: AgentRun,
  step: string,
  signal: AbortSignal,
): Promise<ModelStep> {
  const { model } = agent;
  const tools = built.tools.map(({ name, description, inputSchema }) => ({
    type: "function" as const,
    name,
    ...(description === null ? {} : { description }),
    inputSchema: answerSchema(inputSchema).schema,
  }));
  const request: ModelRequest = {
    prompt: messages,
    ...(tools.length > 0 ? { tools } : {}),
    ...(built.output ? formatOf(built.output) : {}),
  };
  const startedAt = now();
  const live = createLiveOutput((said) => ctx.publishLive({ step, startedAt, said }));
  try {
    const answer = await callModel({ model, request, signal, timeoutMs: built.callTimeoutMs, onPart: live.add });
    return {
      type: "model",
      model: { provider: model.provider, modelId: model.modelId },
      ...answer,
      costUsd: price && costOf(answer.usage, price),
    };
  } finally {
    await live.end();
  }
}

/**
 * OpenAI rejects a schema that its strict mode does not support. Without strict mode, the answer may not match, but it
 * is parsed here in any case.
 */
function formatOf(output: JsonSchemaObject): Pick<ModelRequest, "responseFormat" | "providerOptions"> {
  const { schema, isStrict } = answerSchema(output);
  const lax = { strictJsonSchema: false };
  return {
    responseFormat: { type: "json", schema, name: "answer" },
    ...(isStrict ? {} : { providerOptions: { openai: lax, openaiCompatible: lax } }),
  };
}

/** Checked before any call is executed. */
function countToolCalls({ built }: AgentRun, before: number, { content }: ModelStep): number {
  const calls = content.filter(({ type }) => type === "tool-call").length;
  const { perAnswer, perRun } = built.maxToolCalls;
  if (calls > perAnswer)
    throw new FinalFailure(
      "max_tool_calls_exceeded",
      `The model of agent ${built.slug} requested ${calls} tool calls in one answer, but the limit is ${perAnswer}. None of them was executed. Raise maxToolCalls.perAnswer, or instruct the model to make fewer calls.`,
    );
  if (before + calls > perRun)
    throw new FinalFailure(
      "max_tool_calls_exceeded",
      `The model of agent ${built.slug} requested ${before + calls} tool calls in this run, but the limit is ${perRun}. The calls of its last answer were not executed. Raise maxToolCalls.perRun, or instruct the model to make fewer calls.`,
    );
  return before + calls;
}

function spend({ built, price, agent }: AgentRun, used: { spend: AgentSpend; usd: number }, answer: ModelStep): void {
  used.spend = addSpend(used.spend, answer);
  // Usage that an older attempt recorded without a price gets the current price.
  used.usd += answer.costUsd ?? (price ? costOf(answer.usage, price) : 0);
  const { tokens, usd } = built.budget;
  const isCounted = answer.usage.inputTokens !== null && answer.usage.outputTokens !== null;
  if (!isCounted && (tokens !== null || usd !== null)) {
    throw new FinalFailure(
      "NoUsage",
      `Agent ${built.slug} has a budget, but its provider ${agent.model.provider} does not report token usage. Turn usage reports on (createOpenAICompatible: includeUsage: true), or remove the budget.`,
    );
  }
  if (tokens !== null && used.spend.tokens > tokens)
    throw new FinalFailure(
      "budget_exceeded",
      `The run has used ${formatNumber(used.spend.tokens)} tokens, but its budget is ${formatNumber(tokens)}. Raise budget.tokens of agent ${built.slug}, or give the agent a smaller task.`,
    );
  if (usd !== null && used.usd > usd)
    throw new FinalFailure(
      "budget_exceeded",
      `The run has cost ${formatUsd(used.usd)}, but its budget is ${formatUsd(usd)}. Raise budget.usd of agent ${built.slug}, or give the agent a smaller task.`,
    );
}

function toMessage({ content }: ModelStep): ModelMessage {
  return {
    role: "assistant",
    content: content.map((part) => {
      const options = part.providerOptions ? { providerOptions: part.providerOptions } : {};
      if (part.type !== "tool-call") return { type: part.type, text: part.text, ...options };
      // Providers reject tool arguments in the history that are no JSON object.
      return {
        type: part.type,
        toolCallId: part.toolCallId,
        toolName: part.toolName,
        input: part.isMalformed ? {} : part.input,
        ...options,
      };
    }),
  };
}

/**
 * Returns the agent of a run in the form of a workflow: its input is a prompt, its code the conversation with the
 * model. `null` if the build does not have it.
 */
export async function loadAgent(
  run: AssignedRun,
  p: { code: ProjectCode; clock: Clock; random: () => number; context: AgentContext },
): Promise<LoadedWorkflow | null> {
  const { code, clock, random } = p;
  const agent = await code.agent(run.target.slug);
  const built = code.manifest.agents.find(({ slug }) => slug === run.target.slug);
  if (!agent || !built) return null;
  const price = findPrice(agent.model.modelId, code.manifest.settings.modelPrices);
  return {
    slug: agent.slug,
    input: agentInput,
    // The output is already parsed: the model could still correct it at that point.
    output: null,
    run: (input) => runAgent({ agent, built, ctx: p.context, price, now: clock.now, random }, input as AgentInput),
  };
}
