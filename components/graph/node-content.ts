import { isScriptedModel } from "../../server/contract/agent/scripted-model.ts";
import { hasTarget, type Target } from "../../server/contract/project/target.ts";
import { formatNumber, formatShare } from "../../server/shared/format.ts";
import { type Evidence, stoppedCount } from "./evidence.ts";
import {
  type GraphAgent,
  type GraphTarget,
  type ModelNode,
  type Prompt,
  type TargetActivity,
  type TriggerNode,
} from "./canvas-model.ts";

/** Node sizes are known before rendering, so nothing is measured and the layout does not shift. */
export interface Size {
  width: number;
  height: number;
}

const lineHeight = 19;
const widths: Record<ModelNode["kind"], number> = { source: 244, trigger: 268, target: 244 };

export function nodeSize(node: ModelNode): Size {
  const width = widths[node.kind];
  if (node.kind === "source") return { width, height: 98 };
  if (node.kind === "target") return { width, height: 88 + (node.target.agent ? agentHeight(node.target.agent) : 0) };
  return { width, height: 46 + lineHeight * (conditionLines(node) + promptsOf(node).length) };
}

/** One line for the model, and one per shown tool. */
function agentHeight(agent: GraphAgent): number {
  const { shown, others } = shownTools(agent);
  return lineHeight * (1 + shown.length + (others > 0 ? 1 : 0)) + 2;
}

/** One line per condition. Without conditions, one line says so. */
function conditionLines(trigger: TriggerNode): number {
  return Math.max(1, trigger.conditions.length);
}

/** The x positions of the columns. The gaps leave space for the counts on the edges. */
export const columns: Record<ModelNode["kind"], number> = {
  source: 0,
  trigger: 244 + 148,
  target: 244 + 148 + 268 + 112,
};

/** Maximum number of tools on the canvas. The sheet shows all of them. */
const maxShown = 4;

/** The tools that an agent's node shows, tools that need approval first. `others`: the number of tools not shown. */
export function shownTools({ tools }: Pick<GraphAgent, "tools">): { shown: GraphAgent["tools"]; others: number } {
  const shown =
    tools.length <= maxShown
      ? tools
      : tools.toSorted((one, other) => approvalRank(other) - approvalRank(one)).slice(0, maxShown - 1);
  return { shown, others: tools.length - shown.length };
}

function approvalRank({ needsApproval }: GraphAgent["tools"][number]): number {
  return needsApproval === "never" ? 0 : 1;
}

/** The prompts that a trigger sends when it fires, one per agent. */
export function promptsOf({ attachments }: Pick<TriggerNode, "attachments">): { agent: string; words: string }[] {
  return attachments.flatMap(({ target, prompt }) =>
    prompt && target ? [{ agent: target.slug, words: describePrompt(prompt) }] : [],
  );
}

/** `New ticket from {{ customer.email }}`, in one line. */
function describePrompt(prompt: Prompt): string {
  return prompt.kind === "template" ? prompt.text.replaceAll(/\s+/g, " ").trim() : "built by a function";
}

/** Whether a trigger has no target: it only wakes the runs that wait for it. */
export function onlyWakesRuns({ attachments }: { attachments: readonly { target: Target | null }[] }): boolean {
  return !attachments.some(hasTarget);
}

export const wakesRunsText = "Starts nothing. It wakes the runs that wait for it.";

/** A trigger without a target does not fire: it only matches. */
export function matchesWord(trigger: Parameters<typeof onlyWakesRuns>[0]): "fires" | "matches" {
  return onlyWakesRuns(trigger) ? "matches" : "fires";
}

export function matchedWord(trigger: Parameters<typeof onlyWakesRuns>[0]): "fired" | "matched" {
  return onlyWakesRuns(trigger) ? "matched" : "fired";
}

/** The accessible name of a node: `Trigger invoice-paid, 388 fired, 22 stopped`. */
export function triggerName(
  trigger: Pick<TriggerNode, "slug" | "attachments">,
  evidence: Evidence | undefined,
  isOff = false,
): string {
  const kind = onlyWakesRuns(trigger) ? ", wakes runs" : "";
  const name = `Trigger ${trigger.slug}${kind}${isOff ? ", disabled" : ""}`;
  return evidence
    ? `${name}, ${plain(evidence.passed)} ${matchedWord(trigger)}, ${plain(stoppedCount(evidence))} stopped`
    : name;
}

export function endpointName(path: string, counts: { triggers: number; deliveries: number | undefined }): string {
  const triggers = `${counts.triggers} ${counts.triggers === 1 ? "trigger" : "triggers"}`;
  return counts.deliveries === undefined
    ? `Endpoint ${path}, ${triggers}`
    : `Endpoint ${path}, ${triggers}, ${plain(counts.deliveries)} ${counts.deliveries === 1 ? "delivery" : "deliveries"}`;
}

export function targetName(
  target: Pick<GraphTarget, "kind" | "slug" | "agent">,
  activity: TargetActivity | undefined,
): string {
  const name = `${target.kind === "agent" ? "Agent" : "Workflow"} ${target.slug}${target.agent ? describeAgent(target.agent, activity) : ""}`;
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
function describeAgent({ model, tools }: GraphAgent, activity: TargetActivity | undefined): string {
  const needingApproval = tools.filter(({ needsApproval }) => needsApproval !== "never").length;
  const count = tools.length === 1 ? "1 tool" : `${tools.length || "no"} tools`;
  const script = activity?.hasModelBeyondBuild ? ", scripted, but a model answers" : ", scripted without a model";
  return `${isScriptedModel(model) ? script : ""}, ${count}${needingApproval > 0 ? `, ${needingApproval} ${needingApproval === 1 ? "needs" : "need"} approval` : ""}`;
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
