import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createRebuildLoop } from "./rebuild-loop.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp() {
  const pending: (() => void)[] = [];
  const rebuild = vi.fn<() => Promise<void>>(() => new Promise<void>((resolve) => pending.push(resolve)));
  const loop = createRebuildLoop({ debounceMs: 30, rebuild });
  const finish = async () => {
    pending.shift()?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { loop, rebuild, finish };
}

it("changes in quick succession cause one rebuild", async () => {
  const { loop, rebuild } = setUp();
  loop.changed();
  await vi.advanceTimersByTimeAsync(20);
  loop.changed();
  await vi.advanceTimersByTimeAsync(29);
  expect(rebuild).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(rebuild).toHaveBeenCalledOnce();
});

it("changes during a rebuild cause one more rebuild afterwards, never a concurrent one", async () => {
  const { loop, rebuild, finish } = setUp();
  loop.changed();
  await vi.advanceTimersByTimeAsync(30);
  for (let change = 0; change < 3; change += 1) {
    loop.changed();
    await vi.advanceTimersByTimeAsync(30);
  }
  expect(rebuild).toHaveBeenCalledTimes(1);
  await finish();
  expect(rebuild).toHaveBeenCalledTimes(2);
  await finish();
  expect(rebuild).toHaveBeenCalledTimes(2);
  loop.changed();
  await vi.advanceTimersByTimeAsync(30);
  expect(rebuild).toHaveBeenCalledTimes(3);
});

it("closing waits for the current rebuild, and starts none", async () => {
  const { loop, rebuild, finish } = setUp();
  loop.changed();
  await vi.advanceTimersByTimeAsync(30);
  loop.changed();
  await vi.advanceTimersByTimeAsync(30);
  let isClosed = false;
  const closing = loop.close().then(() => (isClosed = true));
  await vi.advanceTimersByTimeAsync(100);
  expect(isClosed).toBe(false);
  await finish();
  await closing;
  loop.changed();
  await vi.advanceTimersByTimeAsync(100);
  expect(rebuild).toHaveBeenCalledOnce();
});
