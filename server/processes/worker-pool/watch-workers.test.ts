import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type WorkerObservation, assessWorker, maxRssBytes } from "./watch-workers.ts";

const now = 100_000;
const observation = (over: Partial<WorkerObservation>): WorkerObservation => ({
  pool: "shared",
  silentMs: 0,
  unresponsiveMs: 0,
  rssBytes: 0,
  maxRssBytes: maxRssBytes(1024),
  active: [],
  others: 0,
  waiting: 0,
  ...over,
});
const run = (deadlineAt: number) => ({ runId: `run_${deadlineAt}`, deadlineAt });

describe("assessWorker", () => {
  test("a worker that sends heartbeats and is within its memory limit is never killed, regardless of its runs' deadlines", () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.array(fc.nat(200_000)), (silentMs, deadlines) => {
        expect(assessWorker(observation({ silentMs, active: deadlines.map(run) }), now)).toBe("fine");
      }),
    );
  });

  test("a silent worker is killed half a second after the deadline of a run", () => {
    expect(assessWorker(observation({ silentMs: 1001, active: [run(now - 500)] }), now)).toBe("fine");
    expect(assessWorker(observation({ silentMs: 1001, active: [run(now - 501)] }), now)).toBe("blocked");
  });

  test("a run that is alone may block its process until its own deadline, a run beside others for 15 seconds", () => {
    const later = now + 3_600_000;
    expect(assessWorker(observation({ silentMs: 600_000, active: [run(later)] }), now)).toBe("fine");
    expect(assessWorker(observation({ silentMs: 15_000, active: [run(later), run(later + 1)] }), now)).toBe("fine");
    expect(assessWorker(observation({ silentMs: 15_001, active: [run(later), run(later + 1)] }), now)).toBe("blocked");
    expect(assessWorker(observation({ silentMs: 15_001, active: [run(later)], others: 1 }), now)).toBe("blocked");
  });

  test("a run that is alone loses its process after 15 seconds if due runs wait for it, and after a minute if isolated runs do", () => {
    const alone = { active: [run(now + 3_600_000)], waiting: 1 };
    expect(assessWorker(observation({ ...alone, silentMs: 15_000 }), now)).toBe("fine");
    expect(assessWorker(observation({ ...alone, silentMs: 15_001 }), now)).toBe("blocked");
    const isolated = { ...alone, pool: "isolated" } as const;
    expect(assessWorker(observation({ ...isolated, silentMs: 60_000 }), now)).toBe("fine");
    expect(assessWorker(observation({ ...isolated, silentMs: 60_001 }), now)).toBe("blocked");
    expect(assessWorker(observation({ ...isolated, silentMs: 3_500_000, waiting: 0 }), now)).toBe("fine");
  });

  test("a silent worker without runs is killed, too: code of a run that has ended blocks it", () => {
    expect(assessWorker(observation({ silentMs: 15_001 }), now)).toBe("blocked");
  });

  test("a worker that sends nothing from any thread for longer than a lease was stopped, regardless of its runs' deadlines", () => {
    for (const active of [[], [run(now + 3_600_000)], [run(now - 1_000_000)]]) {
      expect(assessWorker(observation({ silentMs: 15_001, unresponsiveMs: 15_001, active }), now)).toBe("stopped");
      expect(assessWorker(observation({ silentMs: 15_000, unresponsiveMs: 15_000, active }), now)).not.toBe("stopped");
    }
  });

  test("a worker over its memory limit is killed, silent or not", () => {
    for (const silentMs of [0, 5_000])
      expect(assessWorker(observation({ silentMs, rssBytes: maxRssBytes(1024) + 1 }), now)).toBe("out_of_memory");
  });
});
