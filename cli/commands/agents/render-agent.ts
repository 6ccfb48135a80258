import type { AgentTrace } from "../../../server/contract/agent-trace.ts";
import type { Json } from "../../../server/contract/json.ts";
import type { Run } from "../../../server/contract/run.ts";
import type { Paint } from "../../terminal/paint.ts";
import { plainLine, plainText } from "../../terminal/plain-text.ts";
import type { AgentNews } from "./agent-news.ts";

const widthOfValues = 200;

/** Streams the text of an agent, and prints a line for each other event. */
export function createAgentPrinter(p: { runId: string; paint: Paint; write: (text: string) => void }) {
  let isLineBegun = false;

  function endLine(): void {
    if (isLineBegun) p.write("\n");
    isLineBegun = false;
  }

  function line(text: string): void {
    endLine();
    p.write(`${text}\n`);
  }

  return {
    print(news: AgentNews): void {
      if (news.type !== "text") return line(lineOf(news, p));
      const text = `${news.skipped > 0 ? "[…] " : ""}${plainLines(news.text)}`;
      p.write(text);
      isLineBegun = !text.endsWith("\n");
    },
    /** Prints the final status, unless it is `completed`, and the cost. */
    end(run: Run, trace: AgentTrace): void {
      if (run.status !== "completed") line(`${run.status}${run.error ? `: ${plainLines(run.error.message)}` : ""}`);
      line(p.paint("dim", [run.id, costText(trace)].filter((part) => part !== "").join("  ")));
    },
  };
}

function lineOf(news: Exclude<AgentNews, { type: "text" }>, { runId, paint }: { runId: string; paint: Paint }): string {
  switch (news.type) {
    case "reasoning":
      return paint("dim", `(reasoning) ${plainLine(news.text, widthOfValues)}`);
    case "tool_call":
      return `→ ${showCall(news)}`;
    case "tool_result":
      return `← ${plainLine(news.toolName, 64)} ${news.outcome}: ${show(news.output)}`;
    case "model_failure":
      return `! ${plainLine(news.message, widthOfValues)}${news.waitMs === null ? "" : ` Retrying in ${Math.ceil(news.waitMs / 1000)} s.`}`;
    case "approval":
      return `Waiting for approval of ${showCall(news.request)}: signalbox runs approve ${runId} ${JSON.stringify(news.name)} (or deny)`;
  }
}

export function showCall({ toolName, input }: { toolName: string; input: Json }): string {
  return `${plainLine(toolName, 64)} ${show(input)}`;
}

function costText({ steps, usage, costUsd }: AgentTrace): string {
  const isScriptedModel = steps.some(({ step }) => step.type === "model" && step.model.provider === "scripted-model");
  const tokens = usage.inputTokens === null ? "" : `${usage.inputTokens} tokens in, ${usage.outputTokens ?? 0} out`;
  return [
    isScriptedModel ? "scripted, no model" : "",
    tokens,
    costUsd === null || isScriptedModel ? "" : `$${costUsd.toFixed(4)}`,
  ]
    .filter((part) => part !== "")
    .join(", ");
}

function show(value: Json): string {
  return plainLine(typeof value === "string" ? value : JSON.stringify(value), widthOfValues);
}

/** Safe to print, keeping line breaks. */
function plainLines(text: string): string {
  return text.split(/\r?\n/).map(plainText).join("\n");
}
