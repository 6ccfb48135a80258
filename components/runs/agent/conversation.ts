import { z } from "zod";
import type {
  AgentLive,
  ContentPart,
  ModelFailureStep,
  ModelStep,
  ToolStep,
  AgentTrace,
} from "../../../server/contract/agent/trace.ts";
import type { Json } from "../../../server/contract/json.ts";
import type { RunStatus } from "../../../server/contract/run.ts";
import type { TimelineEntry } from "../../../server/contract/timeline.ts";
import { canDecide } from "../../../server/domain/runs/approval.ts";
import { isEnded } from "../../../server/domain/runs/run-state.ts";
import { readStepName } from "./step-name.ts";

export type Approval = AgentTrace["approvals"][number];
type TraceStep = AgentTrace["steps"][number];

/**
 * A failed model call. `retryAt`: the time of the retry in UTC milliseconds; `null`: it is not retried, or the retry
 * has already happened.
 */
export interface FailedAttempt {
  key: string;
  failure: ModelFailureStep;
  startedAt: string;
  durationMs: number;
  retryAt: number | null;
}

interface Answer {
  step: ModelStep;
  startedAt: string;
  durationMs: number;
  reasoning: string;
  text: string;
}

/**
 * `waiting`: for an approval. `due`: approved, or queued behind other calls. `stopped`: the run ended before the call.
 * All others are outcomes of the step.
 */
export type ToolState = ToolStep["outcome"] | "running" | "waiting" | "due" | "stopped";

export interface ToolUse {
  /** `2.1`: the first call of the second answer. */
  position: string;
  toolName: string;
  input: Json;
  isMalformed: boolean;
  state: ToolState;
  output: Json;
  durationMs: number | null;
  approval: Approval | null;
}

/**
 * `repaired`: the answer did not parse, and the model was called again. `unusable`: it did not parse, and no call is
 * left.
 */
type TurnEnd = "tools" | "final" | "repaired" | "unusable" | "open";

/** One model call with its result. */
export interface Turn {
  call: number;
  failures: FailedAttempt[];
  answer: Answer | null;
  /** The answer so far; `null`: unknown. */
  live: AgentLive | null;
  /** The call is in progress. */
  isInProgress: boolean;
  tools: ToolUse[];
  end: TurnEnd;
  /** The validation error sent to the model after a `repaired` answer; `null`: unknown. */
  validationError: string | null;
}

interface Known {
  trace: AgentTrace;
  entries: readonly TimelineEntry[];
  run: { status: RunStatus; error: { name: string } | null };
}

/**
 * The model calls of an agent run, in order. Built from the stored steps, from the steps in progress in the timeline,
 * and from the live answer.
 */
export function toConversation({ trace, entries, run }: Known): Turn[] {
  const isOver = isEnded(run.status);
  const steps = new Map(trace.steps.map((step) => [step.name, step]));
  const tries = attemptsOf([
    ...trace.steps.map(({ name }) => name),
    ...namesOf(entries),
    ...(trace.live ? [trace.live.step] : []),
  ]);
  const inProgress = isOver ? new Set<string>() : stepsInProgress(entries);
  const approvals = new Map(trace.approvals.map((approval) => [approval.name, approval]));
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
    const read = readStepName(name);
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
    const name = `${position} ${toolName}`.slice(0, maxName);
    const made = steps.get(`tool ${name}`);
    const approval = approvals.get(`approval ${name}`) ?? null;
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
      state: isOver ? "stopped" : stateOf(approval, inProgress.has(`tool ${name}`)),
      output: null,
      durationMs: null,
    };
  });
}

/** Longer step names are cut. */
const maxName = 150;

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

/** The approvals that a person can decide now. */
export function openApprovals(trace: AgentTrace, status: RunStatus): Approval[] {
  return trace.approvals.filter(({ decidedAt }) => canDecide({ status, decidedAt }));
}
