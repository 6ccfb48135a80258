import { z } from "zod";

/**
 * The pipe on which a worker's watching thread tells the supervisor which run blocks the event loop: the fifth of
 * fork()'s stdio.
 */
export const blockReportFd = 4;

const blockReportSchema = z.object({ runId: z.string().nullable(), stack: z.string() });

/** One look at a blocked event loop: whose code was executing, and where, in built positions. */
export type BlockReport = z.infer<typeof blockReportSchema>;

/** `null` for what is not a report: the user's code could write to this pipe too. */
export function parseBlockReport(line: string): BlockReport | null {
  try {
    return blockReportSchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
