import { z } from "zod";
import { listTimeline } from "../../runs/list-timeline.ts";
import { procedure } from "../trpc.ts";

/** More than a person reads; a run that logs without end shall not fill a page. */
const most = 2_000;

/** The entries after `after`, oldest first. */
export const runsTimeline = procedure
  .input(z.strictObject({ id: z.string(), after: z.int().min(0).default(0) }))
  .query(
    async ({ ctx, input }) => (await listTimeline(ctx, { runId: input.id, after: input.after, limit: most })).data,
  );
