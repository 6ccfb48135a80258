import { z } from "zod";

/**
 * The pipe on which the watcher thread of a worker reports to the supervisor which run blocks the event loop: the fifth
 * entry of the `stdio` of fork().
 */
export const blockReportFd = 4;

const blockReportSchema = z.object({ runId: z.string().nullable(), stack: z.string() });

/** One inspection of a blocked event loop: the run whose code was executing, and the stack, in built positions. */
export type BlockReport = z.infer<typeof blockReportSchema>;

const diskWaitSchema = z.object({ waitingFor: z.string(), waitedMs: z.number() });

/** One operation of the main thread in the database file that has not ended yet. */
export type DiskWait = z.infer<typeof diskWaitSchema>;

/** Returns `null` if the line reports something else. */
export function parseDiskWait(line: string): DiskWait | null {
  return parseLine(diskWaitSchema, line);
}

/** Returns `null` if the line is not a report: the user's code could write to this pipe, too. */
export function parseBlockReport(line: string): BlockReport | null {
  return parseLine(blockReportSchema, line);
}

function parseLine<Report>(schema: z.ZodType<Report>, line: string): Report | null {
  try {
    return schema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
