import { z } from "zod";
import { targetSchema } from "../../contract/project/target.ts";
import { windowSchema } from "../../contract/traffic.ts";
import { showActivity } from "../../traffic/show-activity.ts";
import { showGraph } from "../../triggers/show-graph.ts";
import { procedure, router } from "../trpc.ts";

/** The canvas shows no more endpoints or targets at the same time. */
const maxNodes = 300;

const activityInput = z.strictObject({
  window: windowSchema,
  endpoints: z.array(z.string().max(256)).max(maxNodes),
  targets: z.array(targetSchema).max(maxNodes),
});

export const canvasRouter = router({
  graph: procedure("showGraph").query(({ ctx }) => showGraph(ctx)),

  activity: procedure("showActivity")
    .input(activityInput)
    .query(({ ctx, input }) => showActivity(ctx, input)),
});
