import { listRuns } from "../../runs/list-runs.ts";
import { procedure } from "../trpc.ts";
import { paging, toPage } from "./paging.ts";
import { runFilterSchema, toRunFilter } from "./run-filter.ts";

export const runsList = procedure
  .input(runFilterSchema.extend(paging))
  .query(({ ctx, input: { limit, cursor, ...filter } }) =>
    listRuns(ctx, { filter: toRunFilter(filter), page: toPage({ limit, cursor }) }),
  );
