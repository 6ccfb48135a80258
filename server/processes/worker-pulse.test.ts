import { expect, it } from "vitest";
import type { RunEndedReport, WorkerToSupervisor } from "./protocol.ts";
import { createWorkerPulse } from "./worker-pulse.ts";

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

function createTold() {
  const told: WorkerToSupervisor[] = [];
  const active: { runId: string; deadlineAt: number }[] = [];
  const pulse = createWorkerPulse({
    active: () => [...active],
    tell: (message) => told.push(message),
    readRss: () => 7,
  });
  return { told, active, pulse };
}

it("tells in one message of all runs that begin together, before their code has begun", async () => {
  const { told, active, pulse } = createTold();
  for (const runId of ["run_1", "run_2"]) {
    active.push({ runId, deadlineAt: 5 });
    pulse.changed();
  }
  expect(told).toEqual([]);
  await Promise.resolve();
  expect(told).toEqual([
    {
      type: "heartbeat",
      rssBytes: 7,
      active: [
        { runId: "run_1", deadlineAt: 5 },
        { runId: "run_2", deadlineAt: 5 },
      ],
      ended: [],
    },
  ]);
});

it("tells of each end once, with what is still active then", async () => {
  const { told, active, pulse } = createTold();
  active.push({ runId: "run_3", deadlineAt: 5 });
  for (const runId of ["run_1", "run_2"]) {
    pulse.runEnded(anEnd(runId));
    pulse.changed();
  }
  await Promise.resolve();
  pulse.beat();
  expect(told).toEqual([
    { type: "heartbeat", rssBytes: 7, active, ended: [anEnd("run_1"), anEnd("run_2")] },
    { type: "heartbeat", rssBytes: 7, active, ended: [] },
  ]);
});
