import { z } from "zod";
import { getRun } from "../../runs/get-run.ts";
import { procedure } from "../trpc.ts";

export const runsGet = procedure
  .input(z.strictObject({ id: z.string() }))
  .query(({ ctx, input }) => getRun(ctx, input));
