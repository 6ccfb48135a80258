import { z } from "zod";
import { listBuilds, rollBack } from "../../runs/builds/builds.ts";
import { procedure, router } from "../trpc.ts";

export const buildsRouter = router({
  list: procedure("listBuilds").query(({ ctx }) => listBuilds(ctx)),

  rollBack: procedure("rollBack")
    .input(z.strictObject({ id: z.string() }))
    .mutation(({ ctx, input }) => rollBack(ctx, input.id)),
});
