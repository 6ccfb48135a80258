import type { AgentTrace } from "../../../server/contract/agent-trace.ts";
import type { Json } from "../../../server/contract/json.ts";

type Step = AgentTrace["steps"][number];
type ToolStep = Extract<Step["step"], { type: "tool" }>;
type FailureStep = Extract<Step["step"], { type: "model_failure" }>;

/** Events of an agent; with --json one per line. `step`: its name in the trace. */
export type AgentNews =
  /** Reasoning of the model before its text. */
  | { type: "reasoning"; step: string; text: string }
  /** New text of the model. `skipped`: the number of characters before it that were not received. */
  | { type: "text"; step: string; text: string; skipped: number }
  | { type: "tool_call"; step: string; toolCallId: string; toolName: string; input: Json }
  | ({ type: "tool_result"; step: string } & Pick<ToolStep, "toolCallId" | "toolName" | "outcome" | "output">)
  | ({ type: "model_failure"; step: string } & Pick<FailureStep, "kind" | "message" | "waitMs">)
  | ({ type: "approval" } & Pick<AgentTrace["approvals"][number], "name" | "request" | "until">);

interface Speech {
  text: string;
  textCut: number;
  reasoning: string;
  calls: readonly { toolCallId: string; toolName: string; input: Json }[];
  isOver: boolean;
}

/** Returns the new events of a trace that is polled repeatedly. */
export function createAgentNews(): (trace: AgentTrace) => AgentNews[] {
  const over = new Set<string>();
  const reported = new Map<string, { chars: number; isReasoned: boolean; calls: Set<string> }>();

  function speechNews(step: string, { text, textCut, reasoning, calls, isOver }: Speech): AgentNews[] {
    const known = reported.get(step) ?? { chars: 0, isReasoned: false, calls: new Set() };
    reported.set(step, known);
    const news: AgentNews[] = [];
    if (!known.isReasoned && reasoning !== "" && (text !== "" || calls.length > 0 || isOver)) {
      known.isReasoned = true;
      news.push({ type: "reasoning", step, text: reasoning });
    }
    const more = text.slice(Math.max(0, known.chars - textCut));
    if (more !== "") news.push({ type: "text", step, text: more, skipped: Math.max(0, textCut - known.chars) });
    known.chars = Math.max(known.chars, textCut + text.length);
    for (const call of calls) {
      if (known.calls.has(call.toolCallId)) continue;
      known.calls.add(call.toolCallId);
      news.push({ type: "tool_call", step, ...call });
    }
    return news;
  }

  function stepNews({ name: step, step: result }: Step): AgentNews[] {
    if (result.type === "model") return speechNews(step, completedSpeech(result.content));
    if (result.type === "tool")
      return [
        {
          type: "tool_result",
          step,
          toolCallId: result.toolCallId,
          toolName: result.toolName,
          outcome: result.outcome,
          output: result.output,
        },
      ];
    if (result.type === "model_failure")
      return [{ type: "model_failure", step, kind: result.kind, message: result.message, waitMs: result.waitMs }];
    return [];
  }

  const isNew = ({ name }: { name: string }) => {
    const isFirst = !over.has(name);
    over.add(name);
    return isFirst;
  };

  return ({ steps, live, approvals }) => [
    ...steps.filter(isNew).flatMap(stepNews),
    ...(live ? speechNews(live.step, liveSpeech(live)) : []),
    ...approvals
      .filter((approval) => approval.decision === null && isNew(approval))
      .map(({ name, request, until }) => ({ type: "approval" as const, name, request, until })),
  ];
}

function completedSpeech(content: Extract<Step["step"], { type: "model" }>["content"]): Speech {
  const textOf = (type: "text" | "reasoning") => content.map((part) => (part.type === type ? part.text : "")).join("");
  const calls = content.flatMap((part) =>
    part.type === "tool-call" ? [{ toolCallId: part.toolCallId, toolName: part.toolName, input: part.input }] : [],
  );
  return { text: textOf("text"), textCut: 0, reasoning: textOf("reasoning"), calls, isOver: true };
}

/** A call is reported when its arguments are complete. */
function liveSpeech({ text, textCut, reasoning, toolCalls }: NonNullable<AgentTrace["live"]>): Speech {
  const calls = toolCalls.flatMap(({ toolCallId, toolName, input, inputCut, isComplete }) =>
    isComplete && inputCut === 0 ? [{ toolCallId, toolName, input: parsed(input) }] : [],
  );
  return { text, textCut, reasoning, calls, isOver: false };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
