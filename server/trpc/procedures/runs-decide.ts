import { z } from "zod";
import { decideApproval } from "../../runs/decide-approval.ts";
import { procedure } from "../trpc.ts";

/** Approves or denies a pending tool call. Returns the updated run. */
export const runsDecide = procedure
  .input(
    z.strictObject({
      id: z.string(),
      name: z.string().max(200),
      isApproved: z.boolean(),
      reason: z.string().trim().min(1).max(2_000).nullable().default(null),
    }),
  )
  .mutation(({ ctx, input }) => decideApproval(ctx, { ...input, actor: ctx.auditContext.actor }));
