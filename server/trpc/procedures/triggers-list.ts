import { z } from "zod";
import { listTriggers } from "../../triggers/list-triggers.ts";
import { procedure } from "../trpc.ts";

/** With their schemas, which are megabytes in a large project: so it is queried by endpoint. */
export const triggersList = procedure
  .input(z.strictObject({ endpoint: z.string() }))
  .query(({ ctx, input }) => listTriggers(ctx, input));
