import { z } from "zod";
import { searchAll } from "../../search/search-all.ts";
import { procedure } from "../trpc.ts";

/** Searches names in the project, and ids of runs and deliveries. */
export const searchProcedure = procedure("searchAll")
  .input(z.strictObject({ text: z.string().max(200) }))
  .query(({ ctx, input }) => searchAll(ctx, input.text));
