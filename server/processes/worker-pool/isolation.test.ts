import { expect, it, vi } from "vitest";
import { systemClock } from "../../ports/clock.ts";
import { silentLogger } from "../../ports/logger.ts";
import type { WorkerChild } from "../worker/worker-child.ts";
import { createIsolation } from "./isolation.ts";

const aWorker = (over: Partial<Record<"silentMs" | "changedAt", number>> = {}) =>
  ({
    isReady: () => true,
    active: () => [],
    others: () => 0,
    silentMs: () => over.silentMs ?? 0,
    changedAt: () => over.changedAt ?? performance.now() - 60_000,
  }) as unknown as WorkerChild;

it("dismisses a process that has been idle for a while, unless it does not respond: it may have a run by now", async () => {
  const dismiss = vi.fn<(worker: WorkerChild) => void>();
  const idle = aWorker();
  const isolation = createIsolation({
    host: { isolatedRuns: async () => ({ queued: 0, nextAt: null }) },
    clock: systemClock,
    logger: silentLogger,
    workers: () => [idle, aWorker({ silentMs: 1_200 }), aWorker({ changedAt: performance.now() })],
    spawn() {},
    dismiss,
    schedule() {},
  });
  isolation.dismissIdle();
  expect(dismiss.mock.calls).toEqual([[idle]]);
});

it("starts no process for an isolated run during a pause, regardless of requests for one, and then checks by itself", async () => {
  const timers: { delayMs: number; action: () => void }[] = [];
  const spawn = vi.fn<() => void>();
  const isolatedRuns = vi.fn<() => Promise<{ queued: number; nextAt: null }>>(async () => ({
    queued: 1,
    nextAt: null,
  }));
  const isolation = createIsolation({
    host: { isolatedRuns },
    clock: systemClock,
    logger: silentLogger,
    workers: () => [],
    spawn,
    dismiss() {},
    schedule: (delayMs, action) => void timers.push({ delayMs, action }),
  });
  const checked = async (times: number) => {
    await vi.waitFor(() => expect(isolatedRuns).toHaveBeenCalledTimes(times));
    await new Promise(setImmediate);
  };
  isolation.check();
  await checked(1);
  expect(spawn).toHaveBeenCalledTimes(1);

  isolation.pause(500);
  isolation.pause(250);
  isolation.check();
  await checked(2);
  expect(spawn).toHaveBeenCalledTimes(1);
  expect(timers.map(({ delayMs }) => delayMs)).toEqual([500, 250]);

  timers[1]?.action();
  await checked(3);
  expect(spawn).toHaveBeenCalledTimes(1);
  timers[0]?.action();
  await checked(4);
  expect(spawn).toHaveBeenCalledTimes(2);
});
