import { expect, it, vi } from "vitest";
import { systemClock } from "../../ports/clock.ts";
import { silentLogger } from "../../ports/logger.ts";
import { createIsolation } from "./isolation.ts";

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
