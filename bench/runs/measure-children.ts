import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import Database from "better-sqlite3";
import { z } from "zod";
import { defineWorkflow, type WorkflowContext } from "../../sdk/workflow/index.ts";
import { readChildResult } from "../../server/domain/runs/child-runs.ts";
import { executeRun } from "../../server/engine/execute-run.ts";
import { createCode } from "../../server/engine/testing/engine-harness.ts";
import { newId } from "../../server/domain/ids.ts";
import { systemClock } from "../../server/ports/clock.ts";
import { silentLogger } from "../../server/ports/logger.ts";
import type { AssignedRun, ProgressWriter } from "../../server/ports/run-channel.ts";
import type { RunProgress, StepRecord } from "../../server/ports/store/engine-store.ts";
import { runStatusCodes } from "../../server/domain/stored-codes.ts";
import { isOpenSql } from "../../server/store/sqlite/stored-forms.ts";
import { type BenchProject, queueRuns } from "./bench-project.ts";
import type { BenchService } from "./bench-service.ts";
import { median } from "./statistics.ts";

export interface ChildHeap {
  children: number;
  /** When the run is suspended: without garbage, and the most at any write, with garbage. */
  suspendedMb: number;
  peakMb: number;
  /** The same when all child runs have ended, and the code of the run has their outputs. */
  endedMb: number;
  endedPeakMb: number;
  goal: string;
}

const line = defineWorkflow({ slug: "work", input: z.looseObject({}), run: () => null as unknown });

/** The heap that one execution needs. The store is another process, so here it keeps nothing. */
export async function measureChildHeap(counts: readonly number[]): Promise<ChildHeap[]> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const rows: ChildHeap[] = [];
  // The first one loads all code.
  for (const count of [100, ...counts]) {
    const steps: StepRecord[] = [];
    const note = ({ steps: written = [], transition }: RunProgress) => {
      if (!transition) steps.push(...written);
    };
    const first = await executeAlone(count, [], { collect, note });
    const ended = steps.map((step, at) => ({ ...step, finishedAt: step.startedAt, result: toResult(step, at) }));
    const second = await executeAlone(count, ended, { collect, note() {} });
    if (ended.length !== count || steps.length !== count) throw new Error(`${steps.length} calls were stored`);
    rows.push({
      children: count,
      suspendedMb: first.retainedMb,
      peakMb: first.peakMb,
      endedMb: second.retainedMb,
      endedPeakMb: second.peakMb,
      goal: count >= 10_000 ? "≤ 64" : "",
    });
  }
  return rows.slice(1);
}

const toResult = (step: StepRecord, at: number) => ({
  runId: readChildResult(step.result).runId,
  status: "completed" as const,
  output: { at, text: "x".repeat(200) },
  error: null,
});

/** `note` receives each write. */
async function executeAlone(
  count: number,
  steps: readonly StepRecord[],
  { collect, note }: { collect: () => void; note: (progress: RunProgress) => void },
): Promise<{ retainedMb: number; peakMb: number }> {
  // As its channel reads them.
  const text = JSON.stringify(steps);
  // What an earlier execution has left is released.
  await new Promise((resolve) => setTimeout(resolve, 500));
  collect();
  const before = process.memoryUsage().heapUsed;
  const heapMb = () => (process.memoryUsage().heapUsed - before) / 2 ** 20;
  let peakMb = 0;
  let retainedMb = 0;
  const measure = () => {
    peakMb = Math.max(peakMb, heapMb());
    collect();
    retainedMb = heapMb();
  };
  const code = createCode({
    run: async (_: never, ctx: WorkflowContext) => {
      const call = (at: number) => ctx.call(`line ${at}`, line, { at, text: "x".repeat(200) });
      const outputs = await Promise.all(Array.from({ length: count }, (__, at) => call(at)));
      measure();
      return outputs.length;
    },
  });
  const progress: ProgressWriter = {
    async writeProgress(written) {
      if (written.transition?.to === "waiting") measure();
      else peakMb = Math.max(peakMb, heapMb());
      note(written);
      return { held: true, cancelRequested: false };
    },
    saveLive: async () => ({ held: true }),
  };
  const run = aRun(JSON.parse(text) as StepRecord[]);
  const options = { progress, code, clock: systemClock, logger: silentLogger, random: () => 0.5 };
  const { status, error } = await executeRun(run, options).ended;
  // Both are kept until here: they were part of the heap before.
  if (error || text.length < steps.length) throw new Error(`The run is ${status}: ${error?.message}`);
  return { retainedMb, peakMb };
}

function aRun(steps: StepRecord[]): AssignedRun {
  const now = systemClock.now();
  return {
    id: newId("run"),
    workerId: newId("wrk"),
    token: crypto.randomUUID(),
    leaseUntil: now + 86_400_000,
    status: "running",
    trigger: null,
    attachmentId: null,
    target: { kind: "workflow", slug: "work" },
    deliveryId: null,
    failureOf: null,
    key: null,
    childOf: null,
    depth: 0,
    attempt: 1,
    maxAttempts: 1,
    attemptsBefore: 0,
    isResumed: steps.length > 0,
    createdAt: now,
    payload: null,
    input: {},
    steps,
    headers: null,
    request: null,
    failure: null,
    parents: [],
  };
}

export interface FamilyTime {
  what: string;
  /** From the commit of the first run to the last end. */
  milliseconds: number;
  cpuMs: number;
  ratio: number | null;
  cpuRatio: number | null;
}

/** A run that calls others, and as many runs without a parent. */
export async function measureChildren(p: {
  project: BenchProject;
  service: BenchService;
  count: number;
  rounds: number;
}): Promise<FamilyTime[]> {
  const db = new Database(join(p.project.dir, ".signalbox/signalbox.db"), { readonly: true });
  const store = await p.project.openStore();
  const isAnyOpen = db.prepare(`SELECT EXISTS (SELECT 1 FROM run WHERE ${isOpenSql})`).pluck();
  const countCompleted = db.prepare(`SELECT count(*) FROM run WHERE status = ${runStatusCodes.completed}`).pluck();
  const cpuMs = () => Object.values(p.service.cpuSeconds()).reduce((sum, seconds) => sum + seconds * 1000, 0);
  async function time(work: { slug: string; count: number; email?: string }, expected: number) {
    const completed = Number(countCompleted.get());
    const [began, worked] = [performance.now(), cpuMs()];
    await queueRuns(store, { ...work, inOneTransaction: true });
    while (isAnyOpen.get() === 1) await new Promise((resolve) => setTimeout(resolve, 10));
    const taken = { milliseconds: performance.now() - began, cpuMs: cpuMs() - worked };
    const ended = Number(countCompleted.get()) - completed;
    if (ended !== expected) throw new Error(`${ended} of ${expected} runs have completed`);
    return taken;
  }
  const plain: Awaited<ReturnType<typeof time>>[] = [];
  const family: typeof plain = [];
  // The first round warms up.
  for (let round = -1; round < p.rounds; round += 1) {
    const times = [
      await time({ slug: "trivial", count: p.count }, p.count),
      await time({ slug: "family", count: 1, email: `${p.count}@example.com` }, p.count + 1),
    ] as const;
    if (round < 0) continue;
    plain.push(times[0]);
    family.push(times[1]);
  }
  await store.close();
  db.close();
  const ratioOf = (part: "milliseconds" | "cpuMs") =>
    median(family.map((one, at) => one[part] / (plain[at]?.[part] ?? Number.NaN)));
  const row = (what: string, times: typeof plain) => ({
    what,
    milliseconds: median(times.map(({ milliseconds }) => milliseconds)),
    cpuMs: median(times.map((one) => one.cpuMs)),
  });
  return [
    { ...row(`${p.count} runs`, plain), ratio: null, cpuRatio: null },
    {
      ...row(`a run that calls ${p.count} others at once`, family),
      ratio: ratioOf("milliseconds"),
      cpuRatio: ratioOf("cpuMs"),
    },
  ];
}
