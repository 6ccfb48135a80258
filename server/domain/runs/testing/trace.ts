import type { AgentTrace } from "../../../contract/agent/trace.ts";
import type { Json } from "../../../contract/json.ts";
import { isoAt } from "./timeline.ts";

type Step = AgentTrace["steps"][number];
type Content = Extract<Step["step"], { type: "model" }>["content"];

const noUsage = { inputTokens: null, cachedInputTokens: null, outputTokens: null, reasoningTokens: null };

export function traceOf(p: Partial<Pick<AgentTrace, "steps" | "approvals" | "live">>): AgentTrace {
  return { steps: p.steps ?? [], approvals: p.approvals ?? [], live: p.live ?? null, usage: noUsage, costUsd: null };
}

/** A step between two times, in milliseconds after the start of the run. */
function stepOf(name: string, [from, to]: [number, number], step: Step["step"]): Step {
  return { name, attempt: 1, startedAt: isoAt(from), finishedAt: isoAt(to), step };
}

export function answered(name: string, times: [number, number], content: Content): Step {
  const finishReason = content.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop";
  return stepOf(name, times, {
    type: "model",
    model: { provider: "scripted", modelId: "scripted-1" },
    content,
    finishReason,
    usage: noUsage,
    costUsd: null,
  });
}

export function failed(name: string, times: [number, number], waitMs: number | null): Step {
  return stepOf(name, times, {
    type: "model_failure",
    kind: "rate_limited",
    message: "Slow down",
    status: 429,
    waitMs,
  });
}

export function said(text: string): Content[number] {
  return { type: "text", text };
}

export function called(toolName: string, input: Json = {}): Content[number] {
  return { type: "tool-call", toolCallId: `call_${toolName}`, toolName, input, isMalformed: false };
}

export function ran(
  name: string,
  times: [number, number],
  p: { outcome: "done" | "failed" | "invalid" | "denied"; output?: Json },
): Step {
  return stepOf(name, times, {
    type: "tool",
    toolCallId: name,
    toolName: name.split(" ").at(-1) ?? "",
    input: {},
    outcome: p.outcome,
    output: p.output ?? null,
  });
}

export function asked(
  name: string,
  decision: AgentTrace["approvals"][number]["decision"] = null,
): AgentTrace["approvals"][number] {
  const toolName = name.split(" ").at(-1) ?? "";
  return {
    name,
    request: { toolCallId: "call", toolName, input: {} },
    requestedAt: isoAt(1_000),
    until: isoAt(30 * 86_400_000),
    decidedAt: decision && isoAt(2_000),
    decision,
  };
}
