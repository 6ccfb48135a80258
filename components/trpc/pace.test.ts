import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPace } from "./pace.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const start = (answers: boolean[] = []) => {
  const action = vi.fn<() => boolean>(() => answers.shift() ?? false);
  return { action, pace: createPace({ action, everyMs: 1_000 }) };
};

describe("the pace of refetching", () => {
  it("is at once for the first change, and once a second for many changes", () => {
    const { action, pace } = start();
    pace.poke();
    expect(action).toHaveBeenCalledTimes(1);
    for (let step = 0; step < 100; step++) {
      pace.poke();
      vi.advanceTimersByTime(50);
    }
    expect(action).toHaveBeenCalledTimes(6);
  });

  it("does not lose the last change", () => {
    const { action, pace } = start();
    pace.poke();
    pace.poke();
    vi.advanceTimersByTime(999);
    expect(action).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    expect(action).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(10_000);
    expect(action).toHaveBeenCalledTimes(2);
  });

  it("pauses while the tab is hidden, and catches up once", () => {
    const { action, pace } = start();
    pace.hold(true);
    pace.poke();
    pace.poke();
    vi.advanceTimersByTime(60_000);
    expect(action).not.toHaveBeenCalled();
    pace.hold(false);
    expect(action).toHaveBeenCalledTimes(1);
    pace.hold(true);
    pace.hold(false);
    vi.advanceTimersByTime(60_000);
    expect(action).toHaveBeenCalledTimes(1);
  });

  it("pauses even if the next run was scheduled before", () => {
    const { action, pace } = start();
    pace.poke();
    pace.poke();
    pace.hold(true);
    vi.advanceTimersByTime(5_000);
    expect(action).toHaveBeenCalledTimes(1);
    pace.hold(false);
    expect(action).toHaveBeenCalledTimes(2);
  });

  it("continues while something is left to do", () => {
    const { action, pace } = start([true, true, false]);
    pace.poke();
    vi.advanceTimersByTime(10_000);
    expect(action).toHaveBeenCalledTimes(3);
  });

  it("ends", () => {
    const { action, pace } = start();
    pace.poke();
    pace.poke();
    pace.stop();
    vi.advanceTimersByTime(10_000);
    expect(action).toHaveBeenCalledTimes(1);
  });
});
