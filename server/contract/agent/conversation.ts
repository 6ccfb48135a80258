import type { Json } from "../json.ts";
import type { AgentLive, AgentTrace, ModelFailureStep, ModelStep, ToolStep, Usage } from "./trace.ts";

/** A call of a tool that needs or needed an approval. `isOpen`: a person can decide it now. */
export type Approval = AgentTrace["approvals"][number] & { isOpen: boolean };

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

export interface Answer {
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
export type TurnEnd = "tools" | "final" | "repaired" | "unusable" | "open";

/** One model call with its result. */
export interface Turn {
  call: number;
  failures: FailedAttempt[];
  answer: Answer | null;
  /** The steps of the call that have no result, while the run is open. */
  openSteps: string[];
  /** The answer so far; `null`: unknown. */
  live: AgentLive | null;
  /** The call is in progress. */
  isInProgress: boolean;
  tools: ToolUse[];
  end: TurnEnd;
  /** The validation error sent to the model after a `repaired` answer; `null`: unknown. */
  validationError: string | null;
}

/** The kind of an agent's step. `question`: whether a tool call needs an approval. */
export type AgentStepKind = "prompt" | "model" | "pause" | "tool" | "approval" | "question";

/** A step of an agent in words: `Model call 2`. `outcome`: for the engine it succeeded, but not for a reader. */
export interface NamedStep {
  name: string;
  kind: AgentStepKind;
  label: string;
  outcome: "failed" | "stopped" | null;
}

/** What an agent did in a run, as its page shows it. */
export interface AgentConversation {
  /** `null`: the run has not begun. */
  prompt: { system: string; message: string; boundary: string | null } | null;
  /** The model calls, in order. */
  turns: Turn[];
  /** In the order of their requests. */
  approvals: Approval[];
  /** The steps of the timeline. */
  steps: NamedStep[];
  usage: Usage;
  costUsd: number | null;
  /**
   * The model that answered, although the agent of the run's build has a scripted one: the build had no key of a
   * provider, and the service has one. Otherwise `null`.
   */
  modelBeyondBuild: string | null;
}
