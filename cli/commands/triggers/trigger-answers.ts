import { z } from "zod";
import { targetSchema } from "../../../server/contract/project/target.ts";
import { triggerSchema } from "../../../server/triggers/read-triggers.ts";
import { verdictSchema } from "../../../server/contract/delivery.ts";
import { pageSchema } from "../../../server/contract/list.ts";
import { runSummarySchema } from "../../../server/contract/run.ts";

/** REST responses for the commands about triggers. */
export const triggersAnswer = z.object({ data: z.array(triggerSchema) });
export const verdictsAnswer = z.object({ data: z.array(verdictSchema) });
export const urlAnswer = z.object({ endpoint: z.string(), url: z.url(), keyId: z.string().nullable() });
export const runsAnswer = pageSchema(runSummarySchema);

/** The response to a webhook that started or woke runs, and to a replay. */
export const startedRunsAnswer = z.object({
  ok: z.literal(true),
  runId: z.string(),
  runs: z.array(z.object({ runId: z.string(), trigger: z.string().nullable(), target: targetSchema })),
  woke: z.array(z.object({ runId: z.string() })).optional(),
});

/** The response to a webhook that no trigger matches yet, on an endpoint with `onMismatch: "hold"`. */
export const heldAnswer = z.object({ ok: z.literal(true), held: z.literal(true) });

export type StartedRuns = z.infer<typeof startedRunsAnswer>;

export const listsTriggers = "Run `signalbox triggers list` to see all triggers.";
