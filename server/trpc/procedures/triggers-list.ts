import { z } from "zod";
import { listTriggers } from "../../triggers/list-triggers.ts";
import { procedure } from "../trpc.ts";

/** With their schemas: of a large project that is megabytes, so it is asked for by endpoint. */
export const triggersList = procedure
  .input(z.strictObject({ endpoint: z.string() }))
  .query(({ ctx, input }) => listTriggers(ctx, input));
