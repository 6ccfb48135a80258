import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ServiceNumbers } from "../domain/runs/run-tally.ts";
import { createNumberExchange } from "./number-exchange.ts";

const numbers = (webRestarts: number): ServiceNumbers => ({
  runs: [],
  workers: {
    ready: { shared: 1, isolated: 0 },
    rssBytes: { shared: 1, isolated: 0 },
    ended: { retired: 0, killed: 0, stopped: 0, crashed: 0, blocked: 0 },
  },
  webRestarts,
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("asks once for all concurrent callers, and again afterwards", async () => {
  const ask = vi.fn<() => void>();
  const exchange = createNumberExchange<ServiceNumbers>(ask);
  const both = Promise.all([exchange.read(), exchange.read()]);
  exchange.answered(numbers(1));
  expect((await both).map((read) => read?.webRestarts)).toEqual([1, 1]);
  expect(ask).toHaveBeenCalledTimes(1);
  const next = exchange.read();
  exchange.answered(numbers(2));
  expect((await next)?.webRestarts).toBe(2);
  expect(ask).toHaveBeenCalledTimes(2);
});

it("gives what it heard last when no answer comes within half a second, and asks again the next time", async () => {
  const ask = vi.fn<() => void>();
  const exchange = createNumberExchange<ServiceNumbers>(ask);
  const first = exchange.read();
  await vi.advanceTimersByTimeAsync(500);
  expect(await first).toBeNull();
  exchange.answered(numbers(3));
  const second = exchange.read();
  await vi.advanceTimersByTimeAsync(500);
  expect((await second)?.webRestarts).toBe(3);
  expect(ask).toHaveBeenCalledTimes(2);
});
