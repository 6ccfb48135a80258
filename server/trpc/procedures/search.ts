import { z } from "zod";
import { searchActions } from "../../contract/search.ts";
import { searchEntries } from "../../search/search-entries.ts";
import { procedure } from "../trpc.ts";

/** Searches names in the project, and ids of runs and deliveries. */
export const searchProcedure = procedure("searchAll")
  .input(z.strictObject({ text: z.string().max(200), action: z.enum(searchActions).nullable().default(null) }))
  .query(({ ctx, input }) => searchEntries(ctx, input));
