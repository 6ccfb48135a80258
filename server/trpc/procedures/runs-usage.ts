import { sumUsage } from "../../runs/sum-usage.ts";
import { procedure } from "../trpc.ts";
import { runFilterSchema, toRunFilter } from "./run-filter.ts";

/** What the runs of a filter have used together. */
export const runsUsage = procedure.input(runFilterSchema).query(({ ctx, input }) => sumUsage(ctx, toRunFilter(input)));
