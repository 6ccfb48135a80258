import { z } from "zod";
import { getTrigger } from "../../triggers/get-trigger.ts";
import { procedure } from "../trpc.ts";

export const triggersGet = procedure
  .input(z.strictObject({ slug: z.string() }))
  .query(({ ctx, input }) => getTrigger(ctx, input.slug));
