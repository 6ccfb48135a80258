import { z } from "zod";
import { actOnRuns } from "../../runs/act-on-runs.ts";
import { procedure } from "../trpc.ts";
import { runActionSchema } from "./run-action.ts";

/** Cancels or replays chosen runs. */
export const runsAct = procedure
  .input(z.strictObject({ action: runActionSchema, ids: z.array(z.string().max(64)).min(1).max(100) }))
  .mutation(({ ctx, input }) => actOnRuns(ctx, input));
