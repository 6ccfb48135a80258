import { setTimeout } from "node:timers/promises";
import { type AgentTrace, agentTraceSchema } from "../../../server/contract/agent/trace.ts";
import { type Run, runSchema } from "../../../server/contract/run.ts";
import { apiPath } from "../../../server/contract/api-request.ts";
import type { ApiClient } from "../../api/api-client.ts";
import type { Output } from "../../terminal/terminal.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { notifyIfIdle } from "../runs/read-runs.ts";
import { startedRunsAnswer } from "../triggers/trigger-answers.ts";
import { type AgentEvent, createAgentEventReader, createAgentPrinter } from "./agent-events.ts";

/** Polling intervals while the agent runs, and while it waits for a person or a provider. */
const workingMs = 200;
const waitingMs = 1_000;

export function registerAgentsRun(agents: CliCommand, runner: CommandRunner): void {
  agents
    .subcommand("run", "Run an agent and stream its output", [
      'signalbox agents run triage --prompt "New ticket from ada@example.com: I cannot sign in"',
      'signalbox agents run triage --prompt "…" --no-wait',
    ])
    .argument("<slug>", "An agent of the project")
    .requiredOption("--prompt <text>", "Prompt for the agent")
    .option("--key <text>", "What the run is about, e.g. the id of a customer")
    .option("--no-wait", "Only start the run, and print its id")
    .action(runner.action(runAgent));
}

/** Streams the events of the agent. With --json, each event is a line of JSON, and the last line has everything. */
async function runAgent(
  context: CommandContext,
  slug: string,
  options: { prompt: string; key?: string; wait: boolean },
): Promise<number> {
  const api = await context.api();
  const started = await api.request({
    method: "POST",
    path: apiPath`/agents/${slug}/runs`,
    query: { key: options.key },
    body: { prompt: options.prompt },
    answer: startedRunsAnswer,
    notFoundFix: "Agents are the default exports of the files in agents/.",
  });
  if (!context.isJson) notifyIfIdle(context);
  if (!options.wait) {
    context.print({ document: started, text: () => `${started.runId}\n` });
    return 0;
  }
  const { out } = context.terminal;
  const printer = context.isJson
    ? createJsonPrinter(out)
    : createAgentPrinter({ runId: started.runId, paint: out.paint, write: out.write });
  const { run, trace } = await follow(api, started.runId, printer.print);
  printer.end(run, trace);
  return run.status === "completed" ? 0 : 1;
}

function createJsonPrinter({ write }: Output) {
  return {
    print: (event: AgentEvent) => write(`${JSON.stringify(event)}\n`),
    end: (run: Run, agent: AgentTrace) => write(`${JSON.stringify({ type: "ended", run, agent })}\n`),
  };
}

async function follow(
  api: ApiClient,
  id: string,
  print: (event: AgentEvent) => void,
): Promise<{ run: Run; trace: AgentTrace }> {
  const readEvents = createAgentEventReader();
  for (;;) {
    // The run first: the trace of an ended run is complete.
    const run = await api.request({ path: apiPath`/runs/${id}`, answer: runSchema });
    const trace = await api.request({ path: apiPath`/runs/${id}/agent`, answer: agentTraceSchema });
    for (const event of readEvents(trace)) print(event);
    if (run.finishedAt !== null) return { run, trace };
    await setTimeout(run.status === "waiting" ? waitingMs : workingMs);
  }
}
