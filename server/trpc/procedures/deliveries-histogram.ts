import { z } from "zod";
import { momentMs, momentSchema } from "../../contract/moment.ts";
import { windowSchema } from "../../contract/window.ts";
import { showHistogram } from "../../traffic/show-histogram.ts";
import { procedure } from "../trpc.ts";

const input = z.strictObject({
  window: windowSchema.optional(),
  since: momentSchema.optional(),
  until: momentSchema.optional(),
  endpoint: z.string().optional(),
});

export const deliveriesHistogram = procedure.input(input).query(({ ctx, input: { since, until, ...rest } }) =>
  showHistogram(ctx, { ...rest, since: momentMs(since), until: momentMs(until) }),
);
