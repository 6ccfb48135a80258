import type { WorkerLoop } from "../../engine/worker-loop.ts";
import type { RunEndedReport, RunStartedReport, WorkerToSupervisor } from "../protocol.ts";

export interface WorkerHeartbeat {
  beat(): void;
  /**
   * Call it when a run begins or ends. The report is sent before code of the run can block this process. Runs that
   * begin or end together share one report.
   */
  changed(): void;
  runEnded(run: RunEndedReport): void;
  runStarted(run: RunStartedReport): void;
}

/** Limits the reads of the memory size, which take longer than the rest of the report. */
const readRssEveryMs = 100;

/** Reports the state of a worker to its supervisor. */
export function createWorkerHeartbeat(p: {
  loop: () => Pick<WorkerLoop, "active" | "countRuns"> | null;
  send: (message: WorkerToSupervisor) => void;
  readRss?: () => number;
}): WorkerHeartbeat {
  const { loop, send, readRss = () => process.memoryUsage.rss() } = p;
  let ended: RunEndedReport[] = [];
  let started: RunStartedReport[] = [];
  let isDue = false;
  let rssBytes = 0;
  let rssReadAt = -Infinity;

  function beat(): void {
    isDue = false;
    const now = performance.now();
    if (now - rssReadAt >= readRssEveryMs) [rssBytes, rssReadAt] = [readRss(), now];
    const reports = { ended, ...(started.length > 0 ? { started } : {}) };
    ended = [];
    started = [];
    const active = loop()?.active() ?? [];
    const others = (loop()?.countRuns() ?? 0) - active.length;
    send({ type: "heartbeat", rssBytes, active, others, ...reports });
  }

  return {
    beat,
    changed() {
      if (isDue) return;
      isDue = true;
      // A microtask runs before any code of a run that begins now.
      queueMicrotask(beat);
    },
    runEnded: (run) => void ended.push(run),
    runStarted: (run) => void started.push(run),
  };
}
