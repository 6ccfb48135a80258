import { countRuns } from "../../runs/count-runs.ts";
import { procedure } from "../trpc.ts";
import { runFilterSchema, toRunFilter } from "./run-filter.ts";

export const runsCount = procedure.input(runFilterSchema).query(({ ctx, input }) => countRuns(ctx, toRunFilter(input)));
