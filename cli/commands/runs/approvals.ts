import { type AgentTrace, agentTraceSchema } from "../../../server/contract/agent-trace.ts";
import type { RunSummary } from "../../../server/contract/run.ts";
import { type ApiClient, apiPath } from "../../api/api-client.ts";
import type { Paint } from "../../terminal/paint.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { renderTable } from "../../terminal/table.ts";
import { showCall } from "../agents/render-agent.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { parseLimit } from "../parse-options.ts";
import { readRuns } from "./read-runs.ts";
import { formatRelativeTime } from "../../../server/domain/format.ts";

interface PendingRun {
  run: RunSummary;
  /** The pending ones. */
  approvals: AgentTrace["approvals"];
}

export function registerRunsApprovals(runs: CliCommand, runner: CommandRunner): void {
  runs
    .subcommand("approvals", "List the pending approvals of tool calls, over all runs", [
      "signalbox runs approvals",
      "signalbox runs approvals --target triage",
    ])
    .option("--target <slug>", "Only runs of this agent")
    .option("--limit <number>", "Maximum number of runs, 1 to 100", parseLimit, 20)
    .action(runner.action(listApprovals));
}

async function listApprovals(
  context: CommandContext,
  { target, limit }: { target?: string; limit: number },
): Promise<void> {
  const api = await context.api();
  const { data: runs, nextCursor } = await readRuns(api, { needsApproval: "true", target, limit });
  const data: PendingRun[] = [];
  for (const run of runs) data.push({ run, approvals: await readOpen(api, run.id) });
  const open = data.filter(({ approvals }) => approvals.length > 0);
  context.print({
    document: { data: open, nextCursor },
    text: () => renderApprovals(open, { paint: context.terminal.out.paint, now: context.now() }),
  });
  if (context.isJson) return;
  context.notify(
    open.length === 0
      ? "There are no pending approvals."
      : "Decide with `signalbox runs approve <id>` or `signalbox runs deny <id> --reason …`.",
  );
  if (nextCursor !== null) context.notify("There may be older ones. --limit covers up to 100 runs.");
}

async function readOpen(api: ApiClient, id: string): Promise<PendingRun["approvals"]> {
  const { approvals } = await api.request({ path: apiPath`/runs/${id}/agent`, answer: agentTraceSchema });
  return approvals.filter(({ decision }) => decision === null);
}

function renderApprovals(waiting: readonly PendingRun[], { paint, now }: { paint: Paint; now: number }): string {
  if (waiting.length === 0) return "";
  return renderTable({
    headings: ["RUN", "AGENT", "REQUESTED", "EXPIRES", "APPROVAL", "CALL"],
    rows: waiting.flatMap(({ run, approvals }) =>
      approvals.map(({ name, request, requestedAt, until }) => [
        run.id,
        run.target.slug,
        formatRelativeTime(requestedAt, now),
        until === null ? "" : formatRelativeTime(until, now),
        plainLine(name, 60),
        showCall(request),
      ]),
    ),
    paint,
  });
}
