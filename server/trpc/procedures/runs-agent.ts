import { z } from "zod";
import { getAgentTrace } from "../../runs/get-agent-trace.ts";
import { procedure } from "../trpc.ts";

/** What an agent did in a run, as far as it has come. */
export const runsAgent = procedure
  .input(z.strictObject({ id: z.string() }))
  .query(({ ctx, input }) => getAgentTrace(ctx, input.id));
