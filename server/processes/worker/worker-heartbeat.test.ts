import { expect, it } from "vitest";
import type { RunEndedReport, WorkerToSupervisor } from "../protocol.ts";
import { createWorkerHeartbeat } from "./worker-heartbeat.ts";

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
  const active: { runId: string; deadlineAt: number }[] = [];
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
    active.push({ runId, deadlineAt: 5 });
    heartbeat.changed();
  }
  expect(sent).toEqual([]);
  await Promise.resolve();
  expect(sent).toEqual([
    {
      type: "heartbeat",
      rssBytes: 7,
      active: [
        { runId: "run_1", deadlineAt: 5 },
        { runId: "run_2", deadlineAt: 5 },
      ],
      others: 1,
      ended: [],
    },
  ]);
});

it("reports each ended run once, with the runs that are still active", async () => {
  const { sent, active, heartbeat } = createRecorder();
  active.push({ runId: "run_3", deadlineAt: 5 });
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
