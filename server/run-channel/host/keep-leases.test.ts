import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { watchCancels } from "./keep-leases.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

it("stops a run as soon as the store has its cancellation by another process", async () => {
  const { change, canceled } = watched(["b", "another's"]);
  change();
  await vi.advanceTimersByTimeAsync(0);
  expect(canceled).toEqual(["b"]);
});

it("checks at most four times a second, and after the last change", async () => {
  const asked: string[] = [];
  const { change, canceled, listCancelRequested } = watched(asked);
  for (let n = 0; n < 1_000; n += 1) {
    change();
    await vi.advanceTimersByTimeAsync(1);
  }
  expect(listCancelRequested.mock.calls.length).toBeLessThanOrEqual(5);
  asked.push("a");
  change();
  await vi.advanceTimersByTimeAsync(300);
  expect(canceled).toEqual(["a"]);
});

it("makes no query while there are no runs, nor after it was stopped", async () => {
  const { change, listCancelRequested, running, stop } = watched([]);
  running.length = 0;
  change();
  await vi.advanceTimersByTimeAsync(300);
  running.push("a");
  stop();
  change();
  await vi.advanceTimersByTimeAsync(300);
  expect(listCancelRequested).not.toHaveBeenCalled();
});

function watched(asked: string[]) {
  let change: (() => void) | null = null;
  const canceled: string[] = [];
  const listCancelRequested = vi.fn<(ids: readonly string[]) => Promise<string[]>>(async (ids) =>
    ids.filter((id) => asked.includes(id)),
  );
  const running = ["a", "b"];
  const store = {
    listCancelRequested,
    watchRuns(listener: () => void) {
      change = listener;
      return () => (change = null);
    },
  };
  const stop = watchCancels({ store, runIds: () => running, cancel: (id) => canceled.push(id), onError: () => {} });
  return { change: () => change?.(), canceled, listCancelRequested, running, stop };
}
