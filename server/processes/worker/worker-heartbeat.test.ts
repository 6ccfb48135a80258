import { expect, it } from "vitest";
import type { ActiveRun } from "../../engine/worker-loop.ts";
import type { RunEndedReport, WorkerToSupervisor } from "../protocol.ts";
import { createWorkerHeartbeat } from "./worker-heartbeat.ts";

const anActive = (runId: string): ActiveRun => ({ runId, target: { kind: "workflow", slug: "w" }, deadlineAt: 5 });
const anEnd = (runId: string): RunEndedReport => ({
  runId,
  status: "completed",
  trigger: null,
  deliveryId: null,
  target: { kind: "workflow", slug: "w" },
  attempt: 1,
  durationMs: 1,
  error: null,
});

function createRecorder() {
  const sent: WorkerToSupervisor[] = [];
  const active: ActiveRun[] = [];
  const heartbeat = createWorkerHeartbeat({
    loop: () => ({ active: () => [...active], countRuns: () => active.length + 1 }),
    send: (message) => sent.push(message),
    readRss: () => 7,
  });
  return { sent, active, heartbeat };
}

it("reports all runs that begin in one turn with one message, before their code begins", async () => {
  const { sent, active, heartbeat } = createRecorder();
  for (const runId of ["run_1", "run_2"]) {
    active.push(anActive(runId));
    heartbeat.changed();
  }
  expect(sent).toEqual([]);
  await Promise.resolve();
  expect(sent).toEqual([
    {
      type: "heartbeat",
      rssBytes: 7,
      active: [anActive("run_1"), anActive("run_2")],
      others: 1,
      ended: [],
    },
  ]);
});

it("reports each ended run once, with the runs that are still active", async () => {
  const { sent, active, heartbeat } = createRecorder();
  active.push(anActive("run_3"));
  for (const runId of ["run_1", "run_2"]) {
    heartbeat.runEnded(anEnd(runId));
    heartbeat.changed();
  }
  await Promise.resolve();
  heartbeat.beat();
  expect(sent).toEqual([
    { type: "heartbeat", rssBytes: 7, active, others: 1, ended: [anEnd("run_1"), anEnd("run_2")] },
    { type: "heartbeat", rssBytes: 7, active, others: 1, ended: [] },
  ]);
});
