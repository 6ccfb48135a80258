import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ServiceNumbers } from "../../domain/tallies.ts";
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

it("sends one request for all concurrent callers, and another one afterwards", async () => {
  const sendRequest = vi.fn<() => void>();
  const exchange = createNumberExchange<ServiceNumbers>(sendRequest);
  const both = Promise.all([exchange.read(), exchange.read()]);
  exchange.handleAnswer(numbers(1));
  expect((await both).map((read) => read?.webRestarts)).toEqual([1, 1]);
  expect(sendRequest).toHaveBeenCalledTimes(1);
  const next = exchange.read();
  exchange.handleAnswer(numbers(2));
  expect((await next)?.webRestarts).toBe(2);
  expect(sendRequest).toHaveBeenCalledTimes(2);
});

it("returns the last numbers if no answer comes within half a second, and sends a new request the next time", async () => {
  const sendRequest = vi.fn<() => void>();
  const exchange = createNumberExchange<ServiceNumbers>(sendRequest);
  const first = exchange.read();
  await vi.advanceTimersByTimeAsync(500);
  expect(await first).toBeNull();
  exchange.handleAnswer(numbers(3));
  const second = exchange.read();
  await vi.advanceTimersByTimeAsync(500);
  expect((await second)?.webRestarts).toBe(3);
  expect(sendRequest).toHaveBeenCalledTimes(2);
});
