import { z } from "zod";
import { cancelRun } from "../../runs/cancel-run.ts";
import { procedure } from "../trpc.ts";

/** Answers the run as it is then. */
export const runsCancel = procedure
  .input(z.strictObject({ id: z.string() }))
  .mutation(({ ctx, input }) => cancelRun(ctx, input.id));
