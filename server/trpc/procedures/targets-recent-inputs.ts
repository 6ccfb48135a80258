import { targetSchema } from "../../contract/target.ts";
import { recentInputs } from "../../runs/recent-inputs.ts";
import { procedure } from "../trpc.ts";

export const targetsRecentInputs = procedure
  .input(targetSchema.strict())
  .query(({ ctx, input }) => recentInputs(ctx, input));
