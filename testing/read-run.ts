import type { TestRun, TestStep } from "../sdk/test-project/index.ts";
import type { Page, PageRequest } from "../server/contract/list.ts";
import type { TimelineEntry } from "../server/contract/timeline.ts";
import type { Store } from "../server/ports/store.ts";
import type { StepRecord } from "../server/ports/store/engine-store.ts";
import { getAgentTrace } from "../server/runs/agent-runs.ts";
import { describeChildResult } from "../server/domain/runs/child-runs.ts";
import { findRun } from "../server/runs/read-runs.ts";
import { describeEvent } from "../server/runs/run-steps.ts";

const maxEntries = 100_000;

/** A run as a test sees it. `stored`: steps that the test has stored. */
export async function readRun(store: Store, id: string, stored: readonly StepRecord[]): Promise<TestRun> {
  const run = await findRun({ store }, { id });
  const timeline = await store.listTimeline(id, { after: 0, limit: maxEntries });
  const trace = await getAgentTrace({ store }, id);
  const [failureRun] = (await store.listRuns({ failureOf: id }, { limit: 1, cursor: null })).data;
  const children = (await listAll((page) => store.listRuns({ childOf: id }, page))).toReversed();
  const { status, trigger, target, deliveryId, failureOf, childOf, key, attempt } = run;
  const { input, output, error, createdAt, finishedAt } = run;
  return {
    id,
    status,
    trigger,
    target,
    deliveryId,
    failureOf,
    childOf,
    key,
    attempt,
    input,
    output,
    error,
    createdAt,
    finishedAt,
    steps: toSteps(timeline, [...stored, ...(await store.loadSteps(id))]),
    logs: timeline.flatMap(({ kind, level, message, data }) =>
      kind === "log" ? [{ level: level ?? "info", message: message ?? "", data }] : [],
    ),
    toolCalls: trace.steps.flatMap(({ step }) =>
      step.type === "tool"
        ? [{ tool: step.toolName, input: step.input, outcome: step.outcome, output: step.output }]
        : [],
    ),
    approvals: trace.approvals.flatMap(({ decision, request }) =>
      decision === null && status === "waiting" ? [{ tool: request.toolName, input: request.input }] : [],
    ),
    onFailure: failureRun ? await readRun(store, failureRun.id, []) : null,
    children: await Promise.all(children.map((child) => readRun(store, child.id, []))),
  };
}

/** In the order in which they began. */
function toSteps(timeline: readonly TimelineEntry[], records: readonly StepRecord[]): TestStep[] {
  const began = new Map<string, { kind: TestStep["kind"]; tries: number }>();
  for (const { kind, name } of timeline) {
    const stepKind = kinds.get(kind);
    if (stepKind === undefined || name === null) continue;
    const step = began.get(name) ?? { kind: stepKind, tries: 0 };
    if (kind === "step_started") step.tries += 1;
    began.set(name, step);
  }
  const byName = new Map(records.map((record) => [record.name, record]));
  return [...began].map(([name, step]) => {
    const record = byName.get(name);
    const isDone = record !== undefined && record.finishedAt !== null;
    return { name, ...step, isDone, result: isDone ? describeResult(record) : null };
  });
}

function describeResult({ kind, result }: StepRecord): unknown {
  if (kind === "event") return describeEvent(result);
  return kind === "child" ? describeChildResult(result) : result;
}

/** All rows of a list. */
export async function listAll<Row>(list: (page: PageRequest) => Promise<Page<Row>>): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | null = null; ;) {
    const { data, nextCursor } = await list({ limit: 100, cursor });
    rows.push(...data);
    if (nextCursor === null) return rows;
    cursor = nextCursor;
  }
}

/** Kinds of entries with which a step can begin in the timeline. */
const kinds: ReadonlyMap<TimelineEntry["kind"], TestStep["kind"]> = new Map([
  ["step_started", "step"],
  ["step_reused", "step"],
  ["sleep_started", "sleep"],
  ["wait_started", "event"],
  ["child_started", "child"],
  ["approval_requested", "approval"],
]);
