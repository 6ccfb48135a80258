import { type AgentTrace, agentTraceSchema } from "../../../server/contract/agent-trace.ts";
import { runSchema } from "../../../server/contract/run.ts";
import { apiPath } from "../../api/api-client.ts";
import { Failure } from "../../terminal/failure.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { showCall } from "../agents/render-agent.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { aboutRun, findsRuns } from "./suggest-run.ts";

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
  p: { id: string; call: string | undefined; isApproved: boolean; reason: string | null },
): Promise<void> {
  const { id, isApproved, reason } = p;
  const api = await context.api();
  const trace = await aboutRun(api, id, () =>
    api.request({ path: apiPath`/runs/${id}/agent`, answer: agentTraceSchema, notFoundFix: findsRuns }),
  );
  const { name, request } = chooseApproval(trace.approvals, p);
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
