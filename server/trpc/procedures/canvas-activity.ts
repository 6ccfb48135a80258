import { z } from "zod";
import { targetSchema } from "../../contract/target.ts";
import { windowSchema } from "../../contract/window.ts";
import { showActivity } from "../../traffic/show-activity.ts";
import { procedure } from "../trpc.ts";

/** As many as a canvas shows at a time. */
const most = 300;

const input = z.strictObject({
  window: windowSchema,
  endpoints: z.array(z.string().max(256)).max(most),
  targets: z.array(targetSchema).max(most),
});

export const canvasActivity = procedure.input(input).query(({ ctx, input }) => showActivity(ctx, input));
