import { isScriptedModel } from "../../../server/contract/agent/scripted-model.ts";
import type { GraphAgent, GraphTarget, TargetActivity } from "./answers.ts";
import { type Evidence, stoppedCount } from "./evidence.ts";
import { formatNumber, formatShare } from "../../../server/domain/format.ts";

/** The accessible name of a node: `Trigger invoice-paid, 388 fired, 22 stopped`. */
export function triggerName(slug: string, evidence: Evidence | undefined, isOff = false): string {
  const name = `Trigger ${slug}${isOff ? ", switched off" : ""}`;
  return evidence ? `${name}, ${plain(evidence.passed)} fired, ${plain(stoppedCount(evidence))} stopped` : name;
}

export function endpointName(path: string, p: { triggers: number; deliveries: number | undefined }): string {
  const triggers = `${p.triggers} ${p.triggers === 1 ? "trigger" : "triggers"}`;
  return p.deliveries === undefined
    ? `Endpoint ${path}, ${triggers}`
    : `Endpoint ${path}, ${triggers}, ${plain(p.deliveries)} ${p.deliveries === 1 ? "delivery" : "deliveries"}`;
}

export function targetName(
  target: Pick<GraphTarget, "kind" | "slug" | "agent">,
  activity: TargetActivity | undefined,
): string {
  const name = `${target.kind === "agent" ? "Agent" : "Workflow"} ${target.slug}${target.agent ? describeAgent(target.agent) : ""}`;
  if (!activity) return name;
  if (!activity.lastRun) return `${name}, never ran`;
  const waiting = activity.waitingForApproval;
  const state =
    waiting > 0
      ? `${waiting} ${waiting === 1 ? "run waits" : "runs wait"} for approval`
      : `last run ${activity.lastRun.status.replace("_", " ")}`;
  return `${name}, ${state}, ${describeActivity(activity)}`;
}

/** `, 2 tools, 1 needs approval`. */
function describeAgent({ model, tools }: GraphAgent): string {
  const needingApproval = tools.filter(({ needsApproval }) => needsApproval !== "never").length;
  const count = tools.length === 1 ? "1 tool" : `${tools.length || "no"} tools`;
  return `${isScriptedModel(model) ? ", scripted without a model" : ""}, ${count}${needingApproval > 0 ? `, ${needingApproval} ${needingApproval === 1 ? "needs" : "need"} approval` : ""}`;
}

/** The share of ended runs that succeeded: `98 %`. `null` without ended runs. */
export function successRate({ completed, failed }: Pick<TargetActivity, "completed" | "failed">): string | null {
  const ended = completed + failed;
  return ended === 0 ? null : formatShare(completed, ended);
}

/** `388 runs`, or `200+ runs` if only the newest were counted. */
export function describeRuns({ runs, isCapped }: Pick<TargetActivity, "runs" | "isCapped">): string {
  return `${formatNumber(runs)}${isCapped ? "+" : ""} ${runs === 1 && !isCapped ? "run" : "runs"}`;
}

function describeActivity(activity: TargetActivity): string {
  const rate = successRate(activity);
  return rate === null ? describeRuns(activity) : `${rate} succeeded, ${describeRuns(activity)}`;
}

function plain(count: number): string {
  return String(count);
}
