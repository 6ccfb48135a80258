import type { ApprovalDecision, ContentPart, ModelStep, ToolStep } from "../../contract/agent/trace.ts";
import { agentStepNames } from "../../domain/runs/agent-steps.ts";
import type { LoadedTool, ToolCallOptions, ToolResultMessage } from "../../ports/model.ts";
import { toJson } from "../run-values.ts";
import { delimitResult } from "./prompt.ts";
import { hideKeys } from "./model-failure.ts";
import type { StepContext } from "../steps/call-step.ts";
import { type AgentRun, agentStep } from "./agent-run.ts";

type ToolCall = Extract<ContentPart, { type: "tool-call" }>;

interface PlannedCall {
  call: ToolCall;
  /** `2.1 refund`: the first call of the second answer. */
  name: string;
  tool: LoadedTool | null;
  parsed: { isValid: true; input: unknown } | { isValid: false; why: string };
}

/**
 * Executes the tool calls of an answer sequentially, in order. Calls that need approval come last. Each call is a step.
 * An exception of a tool, or arguments that do not parse, are reported to the model and do not fail the run.
 */
export async function callTools(run: AgentRun, round: number, { content }: ModelStep): Promise<ToolResultMessage[]> {
  const calls = content.filter((part) => part.type === "tool-call");
  const planned: PlannedCall[] = [];
  for (const [index, call] of calls.entries())
    planned.push(await planCall(run, call, agentStepNames.call(round, index, call.toolName)));
  const done = new Map<PlannedCall, ToolStep>();
  const held: PlannedCall[] = [];
  for (const each of planned) {
    if (await needsApproval(run, each)) held.push(each);
    else done.set(each, await execute(run, each));
  }
  const decisions = await Promise.all(
    held.map(({ call, name }) =>
      run.ctx.approve(
        agentStepNames.approval(name),
        { toolCallId: call.toolCallId, toolName: call.toolName, input: call.input },
        approvalTimeoutOf(run, call),
      ),
    ),
  );
  for (const [index, each] of held.entries()) done.set(each, await executeDecided(run, each, decisions[index]));
  return planned.flatMap((each) => {
    const step = done.get(each);
    return step ? [toResult(step, run.ctx.run.id)] : [];
  });
}

/** Only tools of the build can be called. */
function approvalTimeoutOf({ built }: AgentRun, { toolName }: ToolCall): number {
  return built.tools.find(({ name }) => name === toolName)?.approvalTimeoutMs ?? 1;
}

async function planCall({ agent }: AgentRun, call: ToolCall, name: string): Promise<PlannedCall> {
  const tool = agent.tools.get(call.toolName) ?? null;
  if (!tool)
    return {
      call,
      name,
      tool,
      parsed: {
        isValid: false,
        why: `There is no tool ${JSON.stringify(call.toolName)}. Available tools: ${[...agent.tools.keys()].join(", ") || "none"}.`,
      },
    };
  if (call.isMalformed)
    return { call, name, tool, parsed: { isValid: false, why: "The arguments are not a JSON object." } };
  return { call, name, tool, parsed: await tool.parse(call.input) };
}

/** The function's decision is stored, so that it stays the same when the code runs again. */
async function needsApproval(run: AgentRun, { call, name, tool, parsed }: PlannedCall): Promise<boolean> {
  if (!tool || !parsed.isValid) return false;
  const { input } = parsed;
  const { needsApproval } = tool;
  if (!needsApproval)
    return run.built.tools.some((built) => built.name === call.toolName && built.needsApproval === "always");
  const step = await agentStep(run.ctx, agentStepNames.approvalNeed(name), ["approval_need"], async (step) => ({
    type: "approval_need",
    needsApproval: await needsApproval(input, optionsOf(run, call, step)),
  }));
  return step.needsApproval;
}

function execute(run: AgentRun, { call, name, tool, parsed }: PlannedCall): Promise<ToolStep> {
  const kept = { type: "tool" as const, toolCallId: call.toolCallId, toolName: call.toolName, input: call.input };
  const executeTool = async (step: StepContext): Promise<ToolStep> => {
    if (!tool || !parsed.isValid) return { ...kept, outcome: "invalid", output: parsed.isValid ? null : parsed.why };
    const returned = await tool.execute(parsed.input, optionsOf(run, call, step));
    return { ...kept, outcome: "done", output: toJson(returned, `What the tool ${call.toolName} returned`) };
  };
  return agentStep(run.ctx, agentStepNames.tool(name), ["tool"], executeTool, {
    policy: tool?.policy,
    recover: (error) => ({ ...kept, outcome: "failed", output: describe(error) }),
  });
}

async function executeDecided(
  run: AgentRun,
  each: PlannedCall,
  decision: ApprovalDecision | undefined,
): Promise<ToolStep> {
  if (decision?.isApproved) return await execute(run, each);
  const { call, name } = each;
  return await agentStep(run.ctx, agentStepNames.tool(name), ["tool"], () => ({
    type: "tool",
    toolCallId: call.toolCallId,
    toolName: call.toolName,
    input: call.input,
    outcome: "denied",
    output: decision?.reason ?? null,
  }));
}

function optionsOf(
  { messages }: AgentRun,
  { toolCallId }: ToolCall,
  { signal, idempotencyKey }: StepContext,
): ToolCallOptions {
  return { toolCallId, messages: structuredClone(messages), abortSignal: signal, idempotencyKey };
}

function toResult(step: ToolStep, runId: string): ToolResultMessage {
  const { toolCallId, toolName } = step;
  return { type: "tool-result", toolCallId, toolName, output: toOutput(step, runId) };
}

/** The result or error of a tool is untrusted, so it is delimited. */
function toOutput({ toolCallId, outcome, output }: ToolStep, runId: string): ToolResultMessage["output"] {
  switch (outcome) {
    case "done":
      return {
        type: "text",
        value: delimitResult(typeof output === "string" ? output : JSON.stringify(output), { runId, toolCallId }),
      };
    case "failed":
      return { type: "error-text", value: `The tool failed: ${delimitResult(String(output), { runId, toolCallId })}` };
    case "invalid":
      return { type: "error-text", value: `The tool call was not executed: ${String(output)}` };
    case "denied":
      return {
        type: "error-text",
        value: `A person denied this call. It was not executed.${typeof output === "string" && output !== "" ? ` Reason: ${output}` : ""} Do not repeat it.`,
      };
  }
}

function describe(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return hideKeys(text.slice(0, 4_000));
}
