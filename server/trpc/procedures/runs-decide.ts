import { z } from "zod";
import { decideApproval } from "../../runs/decide-approval.ts";
import { procedure } from "../trpc.ts";

/** Approves or refuses a call of a tool for which a run waits. Answers the run as it is then. */
export const runsDecide = procedure
  .input(
    z.strictObject({
      id: z.string(),
      name: z.string().max(200),
      isApproved: z.boolean(),
      reason: z.string().trim().min(1).max(2_000).nullable().default(null),
    }),
  )
  .mutation(({ ctx, input }) => decideApproval(ctx, { ...input, actor: ctx.doer.actor }));
