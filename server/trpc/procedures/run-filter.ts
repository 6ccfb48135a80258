import { z } from "zod";
import { momentMs, momentSchema } from "../../contract/moment.ts";
import { runStatusSchema } from "../../contract/run.ts";
import { targetKindSchema } from "../../contract/target.ts";
import { dropUndefined } from "../../domain/drop-undefined.ts";
import type { RunFilter } from "../../ports/store.ts";
import { searchText } from "./search-text.ts";

/** By which runs are listed, counted and acted on. */
export const runFilterSchema = z.strictObject({
  trigger: z.string().optional(),
  target: z.string().optional(),
  targetKind: targetKindSchema.optional(),
  status: runStatusSchema.optional(),
  delivery: z.string().optional(),
  version: z.string().optional(),
  replayOf: z.string().optional(),
  since: momentSchema.optional(),
  until: momentSchema.optional(),
  text: searchText.optional(),
  minTokens: z.int().min(0).optional(),
  minCostUsd: z.number().min(0).optional(),
  needsApproval: z.literal(true).optional(),
});

export function toRunFilter({ since, until, ...rest }: z.infer<typeof runFilterSchema>): RunFilter {
  return dropUndefined({ ...rest, since: momentMs(since), until: momentMs(until) });
}
