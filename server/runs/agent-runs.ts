import type { AuditActor } from "../contract/access/audit.ts";
import {
  type AgentLive,
  agentStepSchema,
  type AgentTrace,
  approvalStepSchema,
  modelOutputSchema,
  type ModelStep,
  type Usage,
} from "../contract/agent/trace.ts";
import type { AgentConversation } from "../contract/agent/conversation.ts";
import { AppError } from "../contract/app-error.ts";
import type { Run } from "../contract/run.ts";
import { toConversation } from "../domain/runs/conversation.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { Signals } from "../ports/signals.ts";
import type { EngineStore, StepRecord } from "../ports/store/engine-store.ts";
import type { RunStore } from "../ports/store/run-store.ts";
import { findRun } from "./read-runs.ts";

/** The trace of an agent's run so far. Empty for a workflow's run. Throws AppError `not_found`. */
export async function getAgentTrace(
  deps: { store: Pick<RunStore, "getRun"> & Pick<EngineStore, "loadSteps" | "getLive"> },
  id: string,
): Promise<AgentTrace> {
  return readTrace(deps, await findRun(deps, { id }));
}

/** The entries that a conversation is made of: a run that logs endlessly must not fill a page. */
export const maxTimelineEntries = 2_000;

/** What an agent did in its run, as its page shows it. Empty for a workflow's run. Throws AppError `not_found`. */
export async function showConversation(
  deps: {
    store: Pick<RunStore, "getRun" | "listTimeline"> & Pick<EngineStore, "loadSteps" | "getLive">;
    project: ProjectReader;
  },
  id: string,
): Promise<AgentConversation> {
  const run = await findRun(deps, { id });
  const trace = await readTrace(deps, run);
  const entries = await deps.store.listTimeline(id, { after: 0, limit: maxTimelineEntries });
  const { version, agents } = deps.project.current().manifest;
  const builtModel = run.version === version ? agents.find(({ slug }) => slug === run.target.slug)?.model : undefined;
  return toConversation({ trace, entries, run, builtModel });
}

async function readTrace(
  deps: { store: Pick<EngineStore, "loadSteps" | "getLive"> },
  { id, ...run }: Pick<Run, "id" | "status" | "target">,
): Promise<AgentTrace> {
  // Read before the steps: output that ends in between is then part of the steps.
  const live = run.target.kind === "agent" && run.status === "running" ? await readLive(deps, id) : null;
  const records = run.target.kind === "agent" ? await deps.store.loadSteps(id) : [];
  const steps = records.toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0)).flatMap(toStep);
  const calls = steps.flatMap(({ step }) => (step.type === "model" ? [step] : []));
  const approvals = records.flatMap(toApproval).sort((a, b) => (a.requestedAt < b.requestedAt ? -1 : 1));
  return {
    steps,
    approvals,
    live: live && records.some(({ name, finishedAt }) => name === live.step && finishedAt !== null) ? null : live,
    usage: sumUsage(calls),
    costUsd: sumOf(
      calls.map(({ costUsd }) => costUsd),
      true,
    ),
  };
}

/** The live output of the model of a run; `null`: none. Its step may have ended since. */
export async function readLive(
  deps: { store: Pick<EngineStore, "getLive"> },
  runId: string,
): Promise<AgentLive | null> {
  const live = await deps.store.getLive(runId);
  const parsed = modelOutputSchema.safeParse(live?.said);
  if (!live || !parsed.success) return null;
  const { step, attempt, startedAt, updatedAt } = live;
  return { step, attempt, startedAt: isoOf(startedAt), updatedAt: isoOf(updatedAt), ...parsed.data };
}

function toStep({ name, kind, attempt, startedAt, finishedAt, result }: StepRecord): AgentTrace["steps"] {
  const parsed = agentStepSchema.safeParse(result);
  return kind === "step" && finishedAt !== null && parsed.success
    ? [{ name, attempt, startedAt: isoOf(startedAt), finishedAt: isoOf(finishedAt), step: parsed.data }]
    : [];
}

function toApproval({ name, kind, startedAt, finishedAt, until, result }: StepRecord): AgentTrace["approvals"] {
  const parsed = approvalStepSchema.safeParse(result);
  if (kind !== "approval" || !parsed.success) return [];
  return [
    {
      name,
      ...parsed.data,
      requestedAt: isoOf(startedAt),
      until: until === null ? null : isoOf(until),
      decidedAt: finishedAt === null ? null : isoOf(finishedAt),
    },
  ];
}

function sumUsage(calls: readonly ModelStep[]): Usage {
  const sum = (key: keyof Usage) =>
    sumOf(
      calls.map(({ usage }) => usage[key]),
      false,
    );
  return {
    inputTokens: sum("inputTokens"),
    cachedInputTokens: sum("cachedInputTokens"),
    outputTokens: sum("outputTokens"),
    reasoningTokens: sum("reasoningTokens"),
  };
}

/** `null` if no value is known or, with `needsAll`, if not all are. */
function sumOf(values: readonly (number | null)[], needsAll: boolean): number | null {
  const known = values.filter((value) => value !== null);
  if (known.length === 0 || (needsAll && known.length < values.length)) return null;
  return Math.round(known.reduce((sum, value) => sum + value, 0) * 1e9) / 1e9;
}

function isoOf(at: number): string {
  return new Date(at).toISOString();
}

interface ApprovalAnswer {
  id: string;
  /** Of the step, e.g. `approval 1.1 refund`. */
  name: string;
  isApproved: boolean;
  reason: string | null;
  actor: AuditActor;
}

/**
 * Approves or denies a pending tool call of an agent's run and returns the run. The model gets a denial with its
 * reason. Throws AppError `not_found` or `approval_closed`.
 */
export async function decideApproval(
  deps: { store: Pick<RunStore, "decideApproval" | "getRun">; signals: Signals; clock: Clock },
  p: ApprovalAnswer,
): Promise<Run> {
  const decision = { isApproved: p.isApproved, reason: p.reason, by: p.actor.name ?? p.actor.kind };
  const result = await deps.store.decideApproval({ runId: p.id, name: p.name, decision, now: deps.clock.now() });
  const run = await findRun(deps, { id: p.id });
  if (result === "missing")
    throw new AppError("not_found", `Run ${p.id} has no pending approval ${JSON.stringify(p.name)}.`);
  if (result === "closed")
    throw new AppError(
      "approval_closed",
      `${JSON.stringify(p.name)} of run ${p.id} is already decided, or the run (${run.status}) is not waiting for it.`,
    );
  deps.signals.runsQueued();
  return run;
}
