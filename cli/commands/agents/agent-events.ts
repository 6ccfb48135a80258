import type { AgentTrace } from "../../../server/contract/agent/trace.ts";
import type { Json } from "../../../server/contract/json.ts";
import type { Run } from "../../../server/contract/run.ts";
import { isScriptedModel } from "../../../server/contract/agent/scripted-model.ts";
import { plainLine, plainText } from "../../terminal/plain-text.ts";
import type { Paint } from "../../terminal/terminal.ts";
import { formatDuration, formatNumber, formatUsd } from "../../../server/shared/format.ts";

const maxValueWidth = 200;

type Step = AgentTrace["steps"][number];
type ToolStep = Extract<Step["step"], { type: "tool" }>;
type FailureStep = Extract<Step["step"], { type: "model_failure" }>;

/** Events of an agent; with --json one per line. `step`: its name in the trace. */
export type AgentEvent =
  /** Reasoning of the model before its text. */
  | { type: "reasoning"; step: string; text: string }
  /** New text of the model. `skipped`: the number of characters before it that were not received. */
  | { type: "text"; step: string; text: string; skipped: number }
  | { type: "tool_call"; step: string; toolCallId: string; toolName: string; input: Json }
  | ({ type: "tool_result"; step: string } & Pick<ToolStep, "toolCallId" | "toolName" | "outcome" | "output">)
  | ({ type: "model_failure"; step: string } & Pick<FailureStep, "kind" | "message" | "waitMs">)
  | ({ type: "approval" } & Pick<AgentTrace["approvals"][number], "name" | "request" | "until">);

interface Message {
  text: string;
  textCut: number;
  reasoning: string;
  calls: readonly { toolCallId: string; toolName: string; input: Json }[];
  isFinal: boolean;
}

/** Returns the new events of a trace that is polled repeatedly. */
export function createAgentEventReader(): (trace: AgentTrace) => AgentEvent[] {
  const reportedOnce = new Set<string>();
  const reported = new Map<string, { chars: number; hasReasoning: boolean; calls: Set<string> }>();

  function messageEvents(step: string, { text, textCut, reasoning, calls, isFinal }: Message): AgentEvent[] {
    const known = reported.get(step) ?? { chars: 0, hasReasoning: false, calls: new Set() };
    reported.set(step, known);
    const events: AgentEvent[] = [];
    if (!known.hasReasoning && reasoning !== "" && (text !== "" || calls.length > 0 || isFinal)) {
      known.hasReasoning = true;
      events.push({ type: "reasoning", step, text: reasoning });
    }
    const more = text.slice(Math.max(0, known.chars - textCut));
    if (more !== "") events.push({ type: "text", step, text: more, skipped: Math.max(0, textCut - known.chars) });
    known.chars = Math.max(known.chars, textCut + text.length);
    for (const call of calls) {
      if (known.calls.has(call.toolCallId)) continue;
      known.calls.add(call.toolCallId);
      events.push({ type: "tool_call", step, ...call });
    }
    return events;
  }

  function stepEvents({ name: step, step: result }: Step): AgentEvent[] {
    if (result.type === "model") return messageEvents(step, completedMessage(result.content));
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
    const isFirst = !reportedOnce.has(name);
    reportedOnce.add(name);
    return isFirst;
  };

  return ({ steps, live, approvals }) => [
    ...steps.filter(isNew).flatMap(stepEvents),
    ...(live ? messageEvents(live.step, liveMessage(live)) : []),
    ...approvals
      .filter((approval) => approval.decision === null && isNew(approval))
      .map(({ name, request, until }) => ({ type: "approval" as const, name, request, until })),
  ];
}

function completedMessage(content: Extract<Step["step"], { type: "model" }>["content"]): Message {
  const textOf = (type: "text" | "reasoning") => content.map((part) => (part.type === type ? part.text : "")).join("");
  const calls = content.flatMap((part) =>
    part.type === "tool-call" ? [{ toolCallId: part.toolCallId, toolName: part.toolName, input: part.input }] : [],
  );
  return { text: textOf("text"), textCut: 0, reasoning: textOf("reasoning"), calls, isFinal: true };
}

/** A call is reported when its arguments are complete. */
function liveMessage({ text, textCut, reasoning, toolCalls }: NonNullable<AgentTrace["live"]>): Message {
  const calls = toolCalls.flatMap(({ toolCallId, toolName, input, inputCut, isComplete }) =>
    isComplete && inputCut === 0 ? [{ toolCallId, toolName, input: parseArguments(input) }] : [],
  );
  return { text, textCut, reasoning, calls, isFinal: false };
}

function parseArguments(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Streams the text of an agent, and prints a line for each other event. */
export function createAgentPrinter(options: { runId: string; paint: Paint; write: (text: string) => void }) {
  let isLineOpen = false;

  function endLine(): void {
    if (isLineOpen) options.write("\n");
    isLineOpen = false;
  }

  function line(text: string): void {
    endLine();
    options.write(`${text}\n`);
  }

  return {
    print(event: AgentEvent): void {
      if (event.type !== "text") return line(lineOf(event, options));
      const text = `${event.skipped > 0 ? "[…] " : ""}${plainLines(event.text)}`;
      options.write(text);
      isLineOpen = !text.endsWith("\n");
    },
    /** Prints the final status, unless it is `completed`, and the cost. */
    end(run: Run, trace: AgentTrace): void {
      if (run.status !== "completed") line(`${run.status}${run.error ? `: ${plainLines(run.error.message)}` : ""}`);
      line(options.paint("dim", [run.id, costText(trace)].filter((part) => part !== "").join("  ")));
    },
  };
}

function lineOf(
  event: Exclude<AgentEvent, { type: "text" }>,
  { runId, paint }: { runId: string; paint: Paint },
): string {
  switch (event.type) {
    case "reasoning":
      return paint("dim", `(reasoning) ${plainLine(event.text, maxValueWidth)}`);
    case "tool_call":
      return `→ ${showCall(event)}`;
    case "tool_result":
      return `← ${plainLine(event.toolName, 64)} ${event.outcome}: ${show(event.output)}`;
    case "model_failure":
      return `! ${plainLine(event.message, maxValueWidth)}${event.waitMs === null ? "" : ` Retrying in ${formatDuration(event.waitMs)}.`}`;
    case "approval":
      return `Waiting for approval of ${showCall(event.request)}: signalbox runs approve ${runId} ${JSON.stringify(event.name)} (or deny)`;
  }
}

export function showCall({ toolName, input }: { toolName: string; input: Json }): string {
  return `${plainLine(toolName, 64)} ${show(input)}`;
}

function costText({ steps, usage, costUsd }: AgentTrace): string {
  const isScripted = steps.some(({ step }) => step.type === "model" && isScriptedModel(step.model));
  const tokens =
    usage.inputTokens === null
      ? ""
      : `${formatNumber(usage.inputTokens)} tokens in, ${formatNumber(usage.outputTokens ?? 0)} out`;
  return [isScripted ? "scripted, no model" : "", tokens, costUsd === null || isScripted ? "" : formatUsd(costUsd)]
    .filter((part) => part !== "")
    .join(", ");
}

function show(value: Json): string {
  return plainLine(typeof value === "string" ? value : JSON.stringify(value), maxValueWidth);
}

/** Safe to print, keeping line breaks. */
function plainLines(text: string): string {
  return text.split(/\r?\n/).map(plainText).join("\n");
}
