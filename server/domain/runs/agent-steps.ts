import type { AgentStepKind } from "../../contract/agent/conversation.ts";

/** Longer names of calls are cut. */
const maxCallName = 150;

/** `2.1 refund`: the first call of the second answer. */
const callName = (answer: number, index: number, toolName: string) =>
  `${answer}.${index + 1} ${toolName}`.slice(0, maxCallName);

/** The names of an agent's steps: a run continues after a crash by them, and its page reads them. */
export const agentStepNames = {
  prompt: "prompt",
  model: (call: number, attempt: number) => (attempt === 1 ? `model ${call}` : `model ${call} try ${attempt}`),
  /** The wait before a model call is tried again, named after the try that failed. */
  pause: (model: string) => `wait for ${model}`,
  call: callName,
  tool: (call: string) => `tool ${call}`,
  approval: (call: string) => `approval ${call}`,
  approvalNeed: (call: string) => `needs approval ${call}`,
};

/** An agent's step, read from its name. */
export type AgentStep =
  | { kind: "prompt" }
  | { kind: "model" | "pause"; call: number; attempt: number }
  | { kind: "tool" | "approval" | "question"; toolName: string };

const modelPattern = /^(model|wait for model) (\d+)(?: try (\d+))?$/;
const callPattern = /^(tool|approval|needs approval) \d+\.\d+ (.*)$/s;
const callKinds = { tool: "tool", approval: "approval", "needs approval": "question" } as const;

/** `null`: not a name of an agent's step. */
export function readAgentStep(name: string): AgentStep | null {
  if (name === agentStepNames.prompt) return { kind: "prompt" };
  const [, model, call, attempt = "1"] = modelPattern.exec(name) ?? [];
  if (model !== undefined)
    return { kind: model === "model" ? "model" : "pause", call: Number(call), attempt: Number(attempt) };
  const [, word, toolName = ""] = callPattern.exec(name) ?? [];
  return word === "tool" || word === "approval" || word === "needs approval"
    ? { kind: callKinds[word], toolName }
    : null;
}

/** In words: `Model call 2`, `Tool search`. */
export function describeAgentStep(name: string): { kind: AgentStepKind; label: string } | null {
  const step = readAgentStep(name);
  return step && { kind: step.kind, label: labelOf(step) };
}

function labelOf(step: AgentStep): string {
  switch (step.kind) {
    case "prompt":
      return "Prompt";
    case "model":
      return step.attempt === 1 ? `Model call ${step.call}` : `Model call ${step.call}, try ${step.attempt}`;
    case "pause":
      return `Wait for model call ${step.call}`;
    case "tool":
      return `Tool ${step.toolName}`;
    case "approval":
      return `Approval of ${step.toolName}`;
    case "question":
      return `Approval check of ${step.toolName}`;
  }
}
