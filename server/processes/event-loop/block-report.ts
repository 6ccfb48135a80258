import { z } from "zod";

/**
 * The pipe on which the watcher thread of a worker reports to the supervisor which run blocks the event loop: the fifth
 * entry of the `stdio` of fork().
 */
export const blockReportFd = 4;

const blockReportSchema = z.object({ runId: z.string().nullable(), stack: z.string() });

/** One inspection of a blocked event loop: the run whose code was executing, and the stack, in built positions. */
export type BlockReport = z.infer<typeof blockReportSchema>;

/** Returns `null` if the line is not a report: the user's code could write to this pipe, too. */
export function parseBlockReport(line: string): BlockReport | null {
  try {
    return blockReportSchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
