import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { type BlockReport, blockReportFd, type DiskWait, parseBlockReport, parseDiskWait } from "./block-report.ts";
import { measureSilence } from "./processor-wait.ts";

/**
 * Whether a child process responds, as its parent observes it. Times are milliseconds, without those in which the
 * process waited for a processor.
 */
export interface ChildLiveness {
  /** The time since its last message, which shows that its event loop turned. */
  silentMs(): number;
  /**
   * The same, including messages of its watcher thread, which are sent while the event loop is blocked. A stopped
   * process sends nothing.
   */
  unresponsiveMs(): number;
  /** The reports of its watcher thread since the last message, the newest last. */
  blockReports(): readonly BlockReport[];
  /** The operation in the database file that its blocked main thread waits for; `null`: none that lasts for a second. */
  diskWait(): DiskWait | null;
}

/**
 * Reads the messages of a child that watches its own event loop (`watchEventLoop`) and sends heartbeats. `onAlive` is
 * called for each message. `isResponsive`: the event loop sent it, not the watcher thread.
 */
export function watchLiveness(child: ChildProcess, onAlive: (isResponsive: boolean) => void = () => {}): ChildLiveness {
  const sinceMessage = measureSilence(child.pid);
  const sinceAlive = measureSilence(child.pid);
  let reports: BlockReport[] = [];
  let diskWait: DiskWait | null = null;
  child.on("message", () => {
    sinceMessage.end();
    sinceAlive.end();
    reports = [];
    diskWait = null;
    onAlive(true);
  });
  readLines(child, (line) => {
    sinceAlive.end();
    onAlive(false);
    diskWait = parseDiskWait(line);
    const report = parseBlockReport(line);
    if (report) reports.push(report);
  });
  return {
    silentMs: sinceMessage.ms,
    unresponsiveMs: sinceAlive.ms,
    blockReports: () => reports,
    diskWait: () => diskWait,
  };
}

function readLines(child: ChildProcess, onLine: (line: string) => void): void {
  const pipe = child.stdio[blockReportFd];
  if (!(pipe instanceof Readable)) return;
  pipe.on("error", () => {});
  createInterface({ input: pipe })
    .on("line", onLine)
    .on("error", () => {});
}
