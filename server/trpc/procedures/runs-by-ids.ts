import { z } from "zod";
import { procedure } from "../trpc.ts";

/** How certain runs stand now, newest first. Those that are not kept any more are left out. */
export const runsByIds = procedure
  .input(z.strictObject({ ids: z.array(z.string().max(64)).max(100) }))
  .query(({ ctx, input }) => ctx.store.findRuns(input.ids));
