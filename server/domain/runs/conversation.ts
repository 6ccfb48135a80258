import { z } from "zod";
import type {
  AgentConversation,
  Answer,
  Approval,
  FailedAttempt,
  NamedStep,
  ToolState,
  ToolUse,
  Turn,
  TurnEnd,
} from "../../contract/agent/conversation.ts";
import type { AgentTrace, ContentPart } from "../../contract/agent/trace.ts";
import { isScriptedModel } from "../../contract/agent/scripted-model.ts";
import type { RunStatus } from "../../contract/run.ts";
import type { TimelineEntry } from "../../contract/timeline.ts";
import { agentStepNames, describeAgentStep, readAgentStep } from "./agent-steps.ts";
import { canDecide } from "../../shared/runs/approval.ts";
import { isEnded } from "../../shared/runs/run-state.ts";

type TraceStep = AgentTrace["steps"][number];

interface Known {
  trace: AgentTrace;
  entries: readonly TimelineEntry[];
  run: { status: RunStatus; error: { name: string } | null };
  /** The model of the agent in the build of the run; absent if unknown. */
  builtModel?: { provider: string; modelId: string } | undefined;
}

/** Built from the stored steps, from the steps in progress in the timeline, and from the live answer. */
export function toConversation({ trace, entries, run, builtModel }: Known): AgentConversation {
  const approvals = trace.approvals.map((approval) => ({
    ...approval,
    isOpen: canDecide({ status: run.status, decidedAt: approval.decidedAt }),
  }));
  const prompt = trace.steps.flatMap(({ step }) => (step.type === "prompt" ? [step] : []))[0];
  return {
    prompt: prompt ? { system: prompt.system, message: prompt.message, boundary: prompt.boundary } : null,
    turns: toTurns({ trace, entries, run }, approvals),
    approvals,
    steps: nameSteps(trace, entries),
    usage: trace.usage,
    costUsd: trace.costUsd,
    modelBeyondBuild: builtModel && isScriptedModel(builtModel) ? realModelOf(trace) : null,
  };
}

function realModelOf({ steps }: AgentTrace): string | null {
  const models = steps.flatMap(({ step }) => (step.type === "model" ? [step.model] : []));
  return models.find((model) => !isScriptedModel(model))?.modelId ?? null;
}

/**
 * The steps of the timeline in words. A step stored as failed or denied is shown as such. For the engine it succeeded,
 * because its result was sent to the model.
 */
function nameSteps(trace: AgentTrace, entries: readonly TimelineEntry[]): NamedStep[] {
  const outcomes = new Map(trace.steps.map(({ name, step }) => [name, outcomeOf(step)]));
  const names = new Set(entries.flatMap(({ name }) => (name === null ? [] : [name])));
  return [...names].flatMap((name) => {
    const named = describeAgentStep(name);
    return named ? [{ name, ...named, outcome: outcomes.get(name) ?? null }] : [];
  });
}

function outcomeOf(step: TraceStep["step"]): NamedStep["outcome"] {
  if (step.type === "model_failure") return "failed";
  if (step.type !== "tool" || step.outcome === "done") return null;
  return step.outcome === "denied" ? "stopped" : "failed";
}

function toTurns({ trace, entries, run }: Known, known: readonly Approval[]): Turn[] {
  const isOver = isEnded(run.status);
  const steps = new Map(trace.steps.map((step) => [step.name, step]));
  const tries = attemptsOf([
    ...trace.steps.map(({ name }) => name),
    ...namesOf(entries),
    ...(trace.live ? [trace.live.step] : []),
  ]);
  const inProgress = isOver ? new Set<string>() : stepsInProgress(entries);
  const approvals = new Map(known.map((approval) => [approval.name, approval]));
  const turns = [...tries]
    .sort(([a], [b]) => a - b)
    .map(([call, names]): Turn => {
      const done = names.flatMap((name) => steps.get(name) ?? []);
      const answer = done.flatMap(toAnswer)[0] ?? null;
      const open = isOver || answer ? [] : names.filter((name) => !steps.has(name));
      const live = trace.live && open.includes(trace.live.step) ? trace.live : null;
      const isInProgress = open.some((name) => inProgress.has(name)) || live !== null;
      const failures = done
        .flatMap((step) => toFailedAttempt(step))
        .map((one, index, all) => ({
          ...one,
          retryAt: isOver || answer || isInProgress || index < all.length - 1 ? null : one.retryAt,
        }));
      return {
        call,
        failures,
        answer,
        openSteps: open,
        live,
        isInProgress,
        tools: toolsOf({ call, answer, steps, approvals, inProgress, isOver }),
        end: "open",
        validationError: null,
      };
    });
  const reasons = reasonsOf(entries);
  return turns.map((turn, index) => {
    const end = endOf(turn, { isLast: index === turns.length - 1, run });
    return { ...turn, end, validationError: end === "repaired" ? (reasons.get(turn.call) ?? null) : null };
  });
}

/** The step names of all tries of each model call, in order. */
function attemptsOf(names: readonly string[]): Map<number, string[]> {
  const found = new Map<number, Map<number, string>>();
  for (const name of names) {
    const read = readAgentStep(name);
    if (read?.kind !== "model") continue;
    const tries = found.get(read.call) ?? new Map<number, string>();
    found.set(read.call, tries.set(read.attempt, name));
  }
  return new Map(
    [...found].map(([call, tries]) => [call, [...tries].sort(([a], [b]) => a - b).map(([, name]) => name)]),
  );
}

function namesOf(entries: readonly TimelineEntry[]): string[] {
  return entries.flatMap(({ kind, name }) => (kind === "step_started" && name !== null ? [name] : []));
}

/** Steps that a worker has started and not ended, and whose worker is not lost. */
function stepsInProgress(entries: readonly TimelineEntry[]): Set<string> {
  const open = new Set<string>();
  for (const { kind, name } of entries) {
    if (kind === "step_started" && name !== null) open.add(name);
    else if ((kind === "step_completed" || kind === "step_failed") && name !== null) open.delete(name);
    else if (kind === "worker_lost" || kind === "attempt_failed" || kind === "resumed") open.clear();
  }
  return open;
}

function toAnswer({ step, startedAt, finishedAt }: TraceStep): Answer[] {
  if (step.type !== "model") return [];
  return [
    {
      step,
      startedAt,
      durationMs: between(startedAt, finishedAt),
      reasoning: textOf(step.content, "reasoning"),
      text: textOf(step.content, "text"),
    },
  ];
}

function toFailedAttempt({ name, step, startedAt, finishedAt }: TraceStep): FailedAttempt[] {
  if (step.type !== "model_failure") return [];
  return [
    {
      key: name,
      failure: step,
      startedAt,
      durationMs: between(startedAt, finishedAt),
      retryAt: step.waitMs === null ? null : Date.parse(finishedAt) + step.waitMs,
    },
  ];
}

function textOf(content: readonly ContentPart[], type: "text" | "reasoning"): string {
  return content.flatMap((part) => (part.type === type ? [part.text] : [])).join(type === "text" ? "" : "\n\n");
}

interface ToolSources {
  call: number;
  answer: Answer | null;
  steps: ReadonlyMap<string, TraceStep>;
  approvals: ReadonlyMap<string, Approval>;
  inProgress: ReadonlySet<string>;
  isOver: boolean;
}

function toolsOf({ call, answer, steps, approvals, inProgress, isOver }: ToolSources): ToolUse[] {
  const calls = answer?.step.content.filter((part) => part.type === "tool-call") ?? [];
  return calls.map(({ toolName, input, isMalformed }, index) => {
    const position = `${call}.${index + 1}`;
    const name = agentStepNames.call(call, index, toolName);
    const tool = agentStepNames.tool(name);
    const made = steps.get(tool);
    const approval = approvals.get(agentStepNames.approval(name)) ?? null;
    const known = { position, toolName, input, isMalformed, approval };
    if (made?.step.type === "tool")
      return {
        ...known,
        state: made.step.outcome,
        output: made.step.output,
        durationMs: between(made.startedAt, made.finishedAt),
      };
    return {
      ...known,
      state: isOver ? "stopped" : stateOf(approval, inProgress.has(tool)),
      output: null,
      durationMs: null,
    };
  });
}

function stateOf(approval: Approval | null, isUnderWay: boolean): ToolState {
  if (isUnderWay) return "running";
  return approval !== null && approval.decidedAt === null ? "waiting" : "due";
}

function endOf(turn: Turn, { isLast, run }: { isLast: boolean; run: Known["run"] }): TurnEnd {
  if (!turn.answer) return "open";
  if (turn.tools.length > 0) return "tools";
  if (!isLast) return "repaired";
  if (run.status === "completed") return "final";
  return run.error?.name === "InvalidOutput" ? "unusable" : "open";
}

/** The logged validation errors by model call. Tools cannot write to this log. */
function reasonsOf(entries: readonly TimelineEntry[]): Map<number, string> {
  const repairs = entries.flatMap(({ kind, data }) =>
    kind === "log" ? (repairSchema.safeParse(data).data ?? []) : [],
  );
  return new Map(repairs.map(({ call, why }) => [call, why]));
}

const repairSchema = z.object({ call: z.int(), why: z.string() });

function between(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from));
}
