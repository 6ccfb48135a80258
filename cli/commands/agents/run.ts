import { type AgentTrace, agentTraceSchema } from "../../../server/contract/agent-trace.ts";
import { type Run, runSchema } from "../../../server/contract/run.ts";
import { type ApiClient, apiPath } from "../../api/api-client.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { tellIfIdle } from "../runs/tell-if-idle.ts";
import { startedRunsAnswer } from "../triggers/trigger-answers.ts";
import { approvalLine, resultText, stepLines } from "./render-agent.ts";

export function registerAgentsRun(agents: CliCommand, runner: CommandRunner): void {
  agents
    .subcommand("run", "ask an agent, and show what it says and does", [
      'signalbox agents run triage --prompt "New ticket from ada@example.com: I cannot sign in"',
      'signalbox agents run triage --prompt "…" --no-wait',
    ])
    .argument("<slug>", "an agent of the project")
    .requiredOption("--prompt <text>", "what the agent is asked")
    .option("--no-wait", "only start it, and print the run's id")
    .action(runner.action(runAgent));
}

/** What the agent does is told on stderr as it comes; stdout has what it ends with. */
async function runAgent(context: CommandContext, slug: string, options: { prompt: string; wait: boolean }): Promise<number> {
  const api = await context.api();
  const started = await api.request({ method: "POST", path: apiPath`/agents/${slug}/runs`, body: { prompt: options.prompt }, answer: startedRunsAnswer, notFoundFix: "Agents are the default exports of the files in agents/." });
  if (!context.isJson) tellIfIdle(context);
  if (!options.wait) {
    context.print({ document: started, text: () => `${started.runId}\n` });
    return 0;
  }
  const { run, trace } = await follow(context, api, started.runId);
  context.print({ document: { run, agent: trace }, text: () => resultText({ run, trace, paint: context.terminal.out.paint }) });
  return run.status === "completed" ? 0 : 1;
}

async function follow(context: CommandContext, api: ApiClient, id: string): Promise<{ run: Run; trace: AgentTrace }> {
  const told = new Set<string>();
  for (;;) {
    const run = await api.request({ path: apiPath`/runs/${id}`, query: { wait: 1 }, answer: runSchema });
    const trace = await api.request({ path: apiPath`/runs/${id}/agent`, answer: agentTraceSchema });
    if (!context.isJson) tellNews(context, trace, { id, told });
    if (run.finishedAt !== null) return { run, trace };
  }
}

function tellNews(context: CommandContext, trace: AgentTrace, { id, told }: { id: string; told: Set<string> }): void {
  for (const { name, step } of trace.steps) {
    if (told.has(name)) continue;
    told.add(name);
    for (const line of stepLines(step)) context.tell(line);
  }
  for (const approval of trace.approvals) {
    if (approval.decision !== null || told.has(approval.name)) continue;
    told.add(approval.name);
    context.tell(approvalLine(approval, id));
  }
}
