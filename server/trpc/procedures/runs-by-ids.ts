import { z } from "zod";
import { procedure } from "../trpc.ts";

/** The current state of these runs, newest first. Runs that were removed are missing. */
export const runsByIds = procedure
  .input(z.strictObject({ ids: z.array(z.string().max(64)).max(100) }))
  .query(({ ctx, input }) => ctx.store.findRuns(input.ids));
