import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type WorkerSight, judgeWorker, maxRssBytes } from "./watch-workers.ts";

const now = 100_000;
const sight = (over: Partial<WorkerSight>): WorkerSight => ({
  silentMs: 0,
  lifelessMs: 0,
  rssBytes: 0,
  maxRssBytes: maxRssBytes(1024),
  active: [],
  ...over,
});
const run = (deadlineAt: number) => ({ runId: `run_${deadlineAt}`, deadlineAt });

describe("judgeWorker", () => {
  test("a worker that sends signs of life and is within its memory is never ended, regardless of its runs' deadlines", () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.array(fc.nat(200_000)), (silentMs, deadlines) => {
        expect(judgeWorker(sight({ silentMs, active: deadlines.map(run) }), now)).toBe("fine");
      }),
    );
  });

  test("a silent worker is ended half a second after the deadline of a run", () => {
    expect(judgeWorker(sight({ silentMs: 1001, active: [run(now - 500)] }), now)).toBe("fine");
    expect(judgeWorker(sight({ silentMs: 1001, active: [run(now - 501)] }), now)).toBe("blocked");
  });

  test("a run that is alone may block its process until its own deadline, one with neighbours for 15 seconds", () => {
    const later = now + 3_600_000;
    expect(judgeWorker(sight({ silentMs: 600_000, active: [run(later)] }), now)).toBe("fine");
    expect(judgeWorker(sight({ silentMs: 15_000, active: [run(later), run(later + 1)] }), now)).toBe("fine");
    expect(judgeWorker(sight({ silentMs: 15_001, active: [run(later), run(later + 1)] }), now)).toBe("blocked");
  });

  test("a silent worker without runs is ended too: code of a run that has ended blocks it", () => {
    expect(judgeWorker(sight({ silentMs: 15_001 }), now)).toBe("blocked");
  });

  test("a worker without a sign of life from any thread for longer than a lease was stopped, regardless of its runs' deadlines", () => {
    for (const active of [[], [run(now + 3_600_000)], [run(now - 1_000_000)]]) {
      expect(judgeWorker(sight({ silentMs: 15_001, lifelessMs: 15_001, active }), now)).toBe("stopped");
      expect(judgeWorker(sight({ silentMs: 15_000, lifelessMs: 15_000, active }), now)).not.toBe("stopped");
    }
  });

  test("memory beyond the bound ends a worker, silent or not", () => {
    for (const silentMs of [0, 5_000])
      expect(judgeWorker(sight({ silentMs, rssBytes: maxRssBytes(1024) + 1 }), now)).toBe("out_of_memory");
  });
});
