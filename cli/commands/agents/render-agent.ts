import type { AgentTrace } from "../../../server/contract/agent-trace.ts";
import type { Json } from "../../../server/contract/json.ts";
import type { Run } from "../../../server/contract/run.ts";
import type { Paint } from "../../terminal/paint.ts";
import { plainLine, plainText } from "../../terminal/plain-text.ts";

const widthOfValues = 200;

/** What a step did, for people: what the model said, and what tools were called with and gave. */
export function stepLines(step: AgentTrace["steps"][number]["step"]): string[] {
  switch (step.type) {
    case "model":
      return step.content.flatMap((part) => {
        if (part.type === "tool-call") return [`→ ${plainLine(part.toolName, 64)} ${show(part.input)}`];
        return part.type === "text" ? [plainLines(part.text)] : [`(thinks) ${plainLine(part.text, widthOfValues)}`];
      });
    case "model_failure":
      return [`! ${plainLine(step.message, widthOfValues)}${step.waitMs === null ? "" : ` It is tried again in ${Math.ceil(step.waitMs / 1000)} s.`}`];
    case "tool":
      return [`← ${plainLine(step.toolName, 64)} ${step.outcome}: ${show(step.output)}`];
    default:
      return [];
  }
}

export function approvalLine({ name, request }: AgentTrace["approvals"][number], runId: string): string {
  return `It waits for somebody to approve ${showCall(request)}: signalbox runs approve ${runId} ${JSON.stringify(name)}, or refuse`;
}

export function showCall({ toolName, input }: { toolName: string; input: Json }): string {
  return `${plainLine(toolName, 64)} ${show(input)}`;
}

/** What the run ended with, and what it cost. */
export function resultText({ run, trace, paint }: { run: Run; trace: AgentTrace; paint: Paint }): string {
  const { inputTokens, outputTokens } = trace.usage;
  const standIn = trace.steps.some(({ step }) => step.type === "model" && step.model.provider === "stand-in") ? "stand-in, no model" : "";
  const cost = [standIn, inputTokens === null ? "" : `${inputTokens} tokens in, ${outputTokens ?? 0} out`, trace.costUsd === null || standIn !== "" ? "" : `$${trace.costUsd.toFixed(4)}`].filter((part) => part !== "").join(", ");
  const output = run.status === "completed" ? plainLines(typeof run.output === "string" ? run.output : JSON.stringify(run.output, null, 2)) : `${run.status}${run.error ? `: ${plainLines(run.error.message)}` : ""}`;
  return `${output}\n${paint("dim", `${run.id}${cost === "" ? "" : `  ${cost}`}`)}\n`;
}

function show(value: Json): string {
  return plainLine(typeof value === "string" ? value : JSON.stringify(value), widthOfValues);
}

/** Safe to print, with its own line breaks. */
function plainLines(text: string): string {
  return text.split(/\r?\n/).map(plainText).join("\n");
}
