import { type AgentTrace, agentTraceSchema } from "../../../server/contract/agent/trace.ts";
import { runSchema, type RunSummary } from "../../../server/contract/run.ts";
import { formatRelativeTime } from "../../../server/shared/format.ts";
import { apiPath } from "../../../server/contract/api-request.ts";
import type { ApiClient } from "../../api/api-client.ts";
import { Failure } from "../../terminal/failure.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { renderTable } from "../../terminal/table.ts";
import type { Paint } from "../../terminal/terminal.ts";
import { showCall } from "../agents/agent-events.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { cursorOption, limitOption, notifyOlder, type PageOptions } from "../options.ts";
import { aboutRun, findsRuns, readRuns } from "./read-runs.ts";

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
    .option(...cursorOption)
    .option(...limitOption("runs"))
    .action(runner.action(listApprovals));
}

async function listApprovals(context: CommandContext, filter: PageOptions & { target?: string }): Promise<void> {
  const api = await context.api();
  const { data: runs, nextCursor } = await readRuns(api, { needsApproval: "true", ...filter });
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
  notifyOlder(context, "runs", { nextCursor });
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

type Approval = AgentTrace["approvals"][number];

export function registerRunsDecide(runs: CliCommand, runner: CommandRunner): void {
  runs
    .subcommand("approve", "Approve a pending tool call", ["signalbox runs approve run_01K9ZR7M3QD4V8XN2T5B6C7E8F"])
    .argument("<id>", "Id of the run")
    .argument("[call]", "Tool name or approval name, if several calls are pending")
    .action(
      runner.action((context: CommandContext, id: string, call: string | undefined) =>
        decide(context, { id, call, isApproved: true, reason: null }),
      ),
    );
  runs
    .subcommand("deny", "Deny a pending tool call", [
      'signalbox runs deny run_01K9ZR7M3QD4V8XN2T5B6C7E8F --reason "Ask the manager first."',
    ])
    .argument("<id>", "Id of the run")
    .argument("[call]", "Tool name or approval name, if several calls are pending")
    .option("--reason <text>", "Reason, passed to the model")
    .action(
      runner.action(
        (
          context: CommandContext,
          id: string,
          call: string | undefined,
          { reason = null }: { reason?: string | null },
        ) => decide(context, { id, call, isApproved: false, reason }),
      ),
    );
}

async function decide(
  context: CommandContext,
  decision: { id: string; call: string | undefined; isApproved: boolean; reason: string | null },
): Promise<void> {
  const { id, isApproved, reason } = decision;
  const api = await context.api();
  const trace = await aboutRun(api, id, () =>
    api.request({ path: apiPath`/runs/${id}/agent`, answer: agentTraceSchema, notFoundFix: findsRuns }),
  );
  const { name, request } = chooseApproval(trace.approvals, decision);
  const run = await api.request({
    method: "POST",
    path: apiPath`/runs/${id}/approvals`,
    body: { name, isApproved, ...(reason === null ? {} : { reason }) },
    answer: runSchema,
  });
  context.print({ document: run, text: () => `${isApproved ? "approved" : "denied"}  ${showCall(request)}\n` });
}

function chooseApproval(
  approvals: readonly Approval[],
  { id, call }: { id: string; call: string | undefined },
): Approval {
  const open = approvals.filter(({ decision }) => decision === null);
  const meant = open.filter(({ name, request }) => call === undefined || call === name || call === request.toolName);
  const [first, second] = meant;
  if (first && !second) return first;
  const list = open.map(({ name, request }) => `\n  ${plainLine(name, 150)}  ${showCall(request)}`).join("");
  if (open.length === 0) throw new Failure(`Run ${id} has no pending approval.`, { code: "nothing_to_approve" });
  throw new Failure(
    first
      ? `Run ${id} has several pending calls:${list}`
      : `Run ${id} has no pending call ${JSON.stringify(call)}. Pending calls:${list}`,
    { code: "which_call", fix: "Add one of these names after the run's id." },
  );
}
