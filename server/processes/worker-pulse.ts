import type { RunEndedReport, RunStartedReport, WorkerToSupervisor } from "./protocol.ts";

export interface WorkerPulse {
  beat(): void;
  /**
   * A run has begun or ended: told before its code can hold up this process, and once for all that begin and end
   * together.
   */
  changed(): void;
  runEnded(run: RunEndedReport): void;
  runStarted(run: RunStartedReport): void;
}

/** Reading it takes longer than all else that is told. */
const readRssEveryMs = 100;

/** What a worker says of itself to its supervisor. */
export function createWorkerPulse(p: {
  active: () => { runId: string; deadlineAt: number }[];
  tell: (message: WorkerToSupervisor) => void;
  readRss?: () => number;
}): WorkerPulse {
  const { active, tell, readRss = () => process.memoryUsage.rss() } = p;
  let ended: RunEndedReport[] = [];
  let started: RunStartedReport[] = [];
  let isDue = false;
  let rssBytes = 0;
  let rssReadAt = -Infinity;

  function beat(): void {
    isDue = false;
    const now = performance.now();
    if (now - rssReadAt >= readRssEveryMs) [rssBytes, rssReadAt] = [readRss(), now];
    const told = { ended, ...(started.length > 0 ? { started } : {}) };
    ended = [];
    started = [];
    tell({ type: "heartbeat", rssBytes, active: active(), ...told });
  }

  return {
    beat,
    changed() {
      if (isDue) return;
      isDue = true;
      // Sooner than any code of a run that begins now.
      queueMicrotask(beat);
    },
    runEnded: (run) => void ended.push(run),
    runStarted: (run) => void started.push(run),
  };
}
