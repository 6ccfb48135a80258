import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { type BlockReport, blockReportFd, parseBlockReport } from "./block-report.ts";

/** Whether a child process is alive, as far as its parent can hear. Times are monotonic milliseconds. */
export interface ChildPulse {
  /** Its last message: its event loop turned then. */
  heardAt(): number;
  /**
   * The same, counting what its watching thread says while the event loop is blocked: a process that was stopped says
   * nothing at all.
   */
  livedAt(): number;
  /** What its watching thread saw since the last message, the newest last. */
  blockReports(): readonly BlockReport[];
}

/**
 * Listens to a child that watches its own event loop (`watchEventLoop`) and sends heartbeats. `onLife` is called with
 * each sign of life, and whether its event loop gave it.
 */
export function followPulse(child: ChildProcess, onLife: (isResponsive: boolean) => void = () => {}): ChildPulse {
  let heardAt = performance.now();
  let livedAt = heardAt;
  let reports: BlockReport[] = [];
  child.on("message", () => {
    heardAt = performance.now();
    livedAt = heardAt;
    reports = [];
    onLife(true);
  });
  readLines(child, (line) => {
    livedAt = performance.now();
    onLife(false);
    const report = parseBlockReport(line);
    if (report) reports.push(report);
  });
  return { heardAt: () => heardAt, livedAt: () => livedAt, blockReports: () => reports };
}

function readLines(child: ChildProcess, onLine: (line: string) => void): void {
  const pipe = child.stdio[blockReportFd];
  if (!(pipe instanceof Readable)) return;
  pipe.on("error", () => {});
  createInterface({ input: pipe })
    .on("line", onLine)
    .on("error", () => {});
}
