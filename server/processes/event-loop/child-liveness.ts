import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { type BlockReport, blockReportFd, parseBlockReport } from "./block-report.ts";

/** Whether a child process responds, as its parent observes it. Times are monotonic milliseconds. */
export interface ChildLiveness {
  /** The time of its last message, which shows that its event loop turned. */
  lastMessageAt(): number;
  /**
   * The same, including messages of its watcher thread, which are sent while the event loop is blocked. A stopped
   * process sends nothing.
   */
  lastAliveAt(): number;
  /** The reports of its watcher thread since the last message, the newest last. */
  blockReports(): readonly BlockReport[];
}

/**
 * Reads the messages of a child that watches its own event loop (`watchEventLoop`) and sends heartbeats. `onAlive` is
 * called for each message. `isResponsive`: the event loop sent it, not the watcher thread.
 */
export function watchLiveness(child: ChildProcess, onAlive: (isResponsive: boolean) => void = () => {}): ChildLiveness {
  let lastMessageAt = performance.now();
  let lastAliveAt = lastMessageAt;
  let reports: BlockReport[] = [];
  child.on("message", () => {
    lastMessageAt = performance.now();
    lastAliveAt = lastMessageAt;
    reports = [];
    onAlive(true);
  });
  readLines(child, (line) => {
    lastAliveAt = performance.now();
    onAlive(false);
    const report = parseBlockReport(line);
    if (report) reports.push(report);
  });
  return { lastMessageAt: () => lastMessageAt, lastAliveAt: () => lastAliveAt, blockReports: () => reports };
}

function readLines(child: ChildProcess, onLine: (line: string) => void): void {
  const pipe = child.stdio[blockReportFd];
  if (!(pipe instanceof Readable)) return;
  pipe.on("error", () => {});
  createInterface({ input: pipe })
    .on("line", onLine)
    .on("error", () => {});
}
