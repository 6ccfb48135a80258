import { z } from "zod";
import { runStatusSchema } from "../../contract/run.ts";
import { listRuns } from "../../runs/list-runs.ts";
import { procedure } from "../trpc.ts";
import { paging } from "./paging.ts";

const input = z.strictObject({
  trigger: z.string().optional(),
  target: z.string().optional(),
  status: runStatusSchema.optional(),
  delivery: z.string().optional(),
  ...paging,
});

export const runsList = procedure.input(input).query(({ ctx, input: { limit, cursor, ...filter } }) =>
  listRuns(ctx, { filter, page: { limit, cursor: cursor ?? null } }),
);
