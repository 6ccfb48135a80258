import type { AgentTrace } from "../../../contract/agent/trace.ts";
import type { Page } from "../../../contract/list.ts";
import type { BulkPage } from "../../../contract/run-bulk.ts";
import type { FlowSimulation } from "../../../contract/flow-simulation.ts";
import type { Run, RunStep, RunSummary, RunsUsage } from "../../../contract/run.ts";
import type { Target } from "../../../contract/project/target.ts";
import type { TimelineEntry } from "../../../contract/timeline.ts";
import { agent, ids, type OperationExamples, signup, version, workflow } from "./example-values.ts";

const completed: Run = {
  id: ids.run,
  status: "completed",
  trigger: "new-signup",
  attachmentId: "new-signup:welcome-email",
  target: workflow,
  deliveryId: ids.delivery,
  startedBy: "webhook",
  replayOf: null,
  failureOf: null,
  childOf: null,
  key: null,
  replayedAs: null,
  version,
  attempt: 1,
  maxAttempts: 3,
  tokens: null,
  costUsd: null,
  error: null,
  createdAt: "2026-11-21T10:00:00.000Z",
  resumedAt: null,
  startedAt: "2026-11-21T10:00:00.004Z",
  finishedAt: "2026-11-21T10:00:01.021Z",
  payload: signup,
  input: { to: "ada@example.com", displayName: "Ada" },
  output: { messageId: `${ids.run}@example.com` },
};
const { payload: _payload, input: _input, output: _output, ...listed } = completed;
const summary: RunSummary = { ...listed, error: null };

const failed: Run = {
  ...completed,
  status: "failed",
  attempt: 3,
  error: { name: "Error", message: "connect ECONNREFUSED 192.0.2.7:25", stack: null },
  startedAt: "2026-11-21T10:00:00.004Z",
  finishedAt: "2026-11-21T10:00:04.310Z",
  output: null,
};
const resumed: Run = {
  ...failed,
  status: "queued",
  maxAttempts: 6,
  error: null,
  resumedAt: "2026-11-21T11:30:00.000Z",
  finishedAt: null,
};
const canceled: Run = { ...completed, status: "canceled", finishedAt: "2026-11-21T10:00:00.512Z", output: null };

const entry: TimelineEntry = {
  id: 4,
  at: "2026-11-21T10:00:01.018Z",
  kind: "step_completed",
  attempt: 1,
  name: "send",
  level: null,
  message: null,
  durationMs: 6,
  until: null,
  error: null,
  data: null,
};
const end: TimelineEntry = { ...entry, id: 6, at: completed.finishedAt ?? "", kind: "completed", name: null };

const step: RunStep = {
  name: "send",
  kind: "step",
  attempt: 1,
  startedAt: "2026-11-21T10:00:01.012Z",
  finishedAt: "2026-11-21T10:00:01.018Z",
  until: null,
  result: null,
  resultBytes: 4,
};

const usage = { inputTokens: 842, cachedInputTokens: 0, outputTokens: 96, reasoningTokens: null };
const toolCall = { toolCallId: "call_1", toolName: "updateIssue", input: { number: 7, labels: ["bug"], close: true } };
const trace: AgentTrace = {
  steps: [
    {
      name: "model 1",
      attempt: 1,
      startedAt: "2026-11-21T10:05:00.020Z",
      finishedAt: "2026-11-21T10:05:02.144Z",
      step: {
        type: "model",
        model: { provider: "anthropic.messages", modelId: "claude-sonnet-4-5" },
        content: [{ type: "tool-call", ...toolCall, isMalformed: false }],
        finishReason: "tool-calls",
        usage,
        costUsd: 0.004,
      },
    },
  ],
  approvals: [
    {
      name: "approval 1.1",
      request: toolCall,
      requestedAt: "2026-11-21T10:05:02.150Z",
      until: "2026-11-22T10:05:02.150Z",
      decidedAt: null,
      decision: null,
    },
  ],
  live: null,
  usage,
  costUsd: 0.004,
};
const triage: Run = {
  ...completed,
  id: ids.agentRun,
  status: "waiting",
  trigger: "new-issue",
  attachmentId: "new-issue:triage",
  target: agent,
  tokens: 938,
  costUsd: 0.004,
  createdAt: "2026-11-21T10:05:00.000Z",
  startedAt: "2026-11-21T10:05:00.008Z",
  finishedAt: null,
  payload: { action: "opened", issue: { number: 7, title: "The app crashes" } },
  input: { prompt: "Sort this issue: The app crashes" },
  output: null,
};

/** A run that waits for an event. */
const waiting: RunSummary = {
  ...summary,
  id: ids.otherRun,
  status: "waiting",
  finishedAt: null,
  waitsFor: {
    kind: "event",
    step: "confirmed",
    events: [{ source: "email-confirmed", match: { "/email": "ada@example.com" } }],
    until: "2026-11-28T10:00:01.018Z",
  },
};

const totals = { runs: 214, pricedRuns: 214, tokens: 200_732, costUsd: 0.86 };
const bulk: BulkPage = {
  done: 2,
  runs: [
    { id: ids.run, replayedAs: null },
    { id: ids.otherRun, replayedAs: null },
  ],
  skipped: [],
  failed: [],
  nextCursor: null,
  until: "2026-11-21T11:30:00.000Z",
};

/** The response of a request that starts one run. */
export function started(runId: string, trigger: string | null, target: Target) {
  return { ok: true, runId, runs: [{ runId, trigger, target }] };
}

const csv = [
  "id,status,trigger,targetKind,target,deliveryId,startedBy,replayOf,failureOf,version,attempt,maxAttempts,error,errorMessage,createdAt,startedAt,finishedAt,tokens,costUsd,resumedAt,replayedAs",
  `${ids.run},completed,new-signup,workflow,welcome-email,${ids.delivery},webhook,,,${version},1,3,,,2026-11-21T10:00:00.000Z,2026-11-21T10:00:00.004Z,2026-11-21T10:00:01.021Z,,,,`,
];

const simulation: FlowSimulation = {
  runs: 4_120,
  runsWithoutKey: 12,
  isCapped: false,
  waits: { p50Ms: 0, p95Ms: 840, maxMs: 12_400 },
  recordedWaits: { p50Ms: 3, p95Ms: 9, maxMs: 61 },
  delayed: 388,
  maxConcurrent: 17,
  busiestKeys: [{ key: "customer_7", runs: 96, waitMs: 118_000, maxWaitMs: 12_400, maxQueued: 9 }],
  blockedKeys: 1,
  blocks: [{ key: "customer_9", runId: completed.id, failedAt: "2026-11-21T10:00:00.512Z", runs: 4 }],
};

export const runExamples: OperationExamples = {
  listRuns: { answers: { 200: { data: [waiting, summary], nextCursor: null } satisfies Page<RunSummary> } },
  countRuns: { answers: { 200: { count: 214, isCapped: false } } },
  exportRuns: {
    answers: {
      "200 text/csv": `${csv.join("\r\n")}\r\n`,
      "200 application/jsonl": `${JSON.stringify(completed)}\n`,
    },
  },
  sumUsage: {
    answers: { 200: { ...totals, isCapped: false, agents: [{ agent: "triage", ...totals }] } satisfies RunsUsage },
  },
  simulateFlow: { answers: { 200: simulation } },
  actOnFilteredRuns: {
    request: { action: "resume", filter: { trigger: "new-signup", unresolved: true }, limit: 50 },
    answers: { 200: bulk },
  },
  getRun: { answers: { 200: completed } },
  listTimeline: { answers: { 200: { data: [entry, end], nextCursor: null } satisfies Page<TimelineEntry> } },
  listSteps: { answers: { 200: { data: [step], nextCursor: null } satisfies Page<RunStep> } },
  streamRunEvents: {
    answers: { 200: `id: ${end.id}\nevent: ${end.kind}\ndata: ${JSON.stringify(end)}\n\nevent: end\ndata: {}\n\n` },
  },
  getAgentTrace: { answers: { 200: trace } },
  decideApproval: {
    request: { name: "approval 1.1", isApproved: true, reason: "It is a duplicate." },
    answers: { 200: triage },
  },
  cancelRun: { answers: { 200: canceled } },
  resumeRun: { answers: { 200: resumed } },
  revealRun: { answers: { 200: completed } },
  replayRun: {
    request: { payload: { ...signup, name: "Ada Lovelace" } },
    answers: { 202: started(ids.otherRun, "new-signup", workflow) },
  },
  startWorkflowRun: {
    request: { to: "ada@example.com", displayName: "Ada" },
    answers: { 202: started(ids.run, null, workflow) },
  },
  startAgentRun: {
    request: { prompt: "Sort this issue: The app crashes when a file is dropped" },
    answers: { 202: started(ids.agentRun, null, agent) },
  },
};
