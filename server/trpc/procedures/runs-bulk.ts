import { z } from "zod";
import { momentMs, momentSchema } from "../../contract/moment.ts";
import { actOnFilteredRuns } from "../../runs/act-on-filtered-runs.ts";
import { procedure } from "../trpc.ts";
import { runActionSchema } from "./run-action.ts";
import { runFilterSchema, toRunFilter } from "./run-filter.ts";

const input = z.strictObject({
  action: runActionSchema,
  filter: runFilterSchema,
  /** When the asker saw how many there are: later ones are left alone. The same in each call. */
  until: momentSchema,
  cursor: z.string().max(512).nullable(),
});

/** Cancels or replays the next runs of a filter: call again until `nextCursor` is `null`. */
export const runsBulk = procedure
  .input(input)
  .mutation(({ ctx, input: { action, filter, until, cursor } }) =>
    actOnFilteredRuns(ctx, { action, filter: toRunFilter(filter), until: momentMs(until), cursor }),
  );
