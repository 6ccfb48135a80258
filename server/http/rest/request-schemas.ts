import { z } from "@hono/zod-openapi";
import { deliveryOutcomeSchema } from "../../contract/delivery.ts";
import { timestampMs, timestampSchema } from "../../contract/list.ts";
import { runStatusSchema } from "../../contract/run.ts";
import { targetKindSchema } from "../../contract/project/target.ts";
import { verdictChoices } from "../../deliveries/read-deliveries.ts";
import { didYouMean } from "../../../sdk/did-you-mean.ts";
import { dropUndefined } from "../../domain/drop-undefined.ts";

/** The query of a route. Unknown parameters are rejected, so that a misspelt filter never returns everything. */
export function querySchema<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? issue.keys.map((name) => describeUnknown(name, known)).join(" ") : undefined,
  });
}

function describeUnknown(name: string, known: readonly string[]): string {
  const hint = didYouMean(name, known);
  const all = known.length === 0 ? " This route has no parameters." : ` Known parameters: ${known.join(", ")}.`;
  return `Unknown parameter ${JSON.stringify(name)}.${hint || all}`;
}

export const noQuery = querySchema({});

const rowsAtMost = (byDefault: number) =>
  z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(byDefault)
    .openapi({ description: "Maximum number of rows per page." });

const cursor = z.string().max(512).optional().openapi({ description: "`nextCursor` of the previous page. Opaque." });

export const paging = { limit: rowsAtMost(20), cursor };
export const timelinePaging = {
  limit: rowsAtMost(100),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, "Invalid cursor for this list")
    .optional(),
};

export const moment = timestampSchema
  .clone()
  .optional()
  .openapi({ description: "ISO 8601. A date without a time starts at midnight UTC." });
const text = (where: string) =>
  z
    .string()
    .min(1)
    .max(200)
    .optional()
    .openapi({ description: `Only entries with this text in ${where}. Case-insensitive for ASCII letters.` });

/** The filters of listed and exported runs. */
export const runFilter = {
  trigger: z.string().optional().openapi({ description: "Slug of a trigger." }),
  target: z.string().optional().openapi({ description: "Slug of a workflow or an agent." }),
  targetKind: targetKindSchema.clone().optional(),
  status: runStatusSchema.optional(),
  delivery: z.string().optional().openapi({ description: "Id of the delivery that started the runs." }),
  version: z.string().optional().openapi({ description: "Project version that the runs started with." }),
  replayOf: z.string().optional().openapi({ description: "Id of the replayed run." }),
  failureOf: z.string().optional().openapi({ description: "Id of the failed run whose `onFailure` they execute." }),
  since: moment,
  until: moment,
  text: text("their payload or input"),
  minTokens: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .openapi({ description: "Minimum number of tokens. Only runs of agents." }),
  minCostUsd: z.coerce.number().min(0).optional().openapi({
    description: "Minimum cost in US dollars. Only runs of agents with a known cost.",
  }),
  needsApproval: z
    .enum(["true"])
    .transform(() => true as const)
    .optional()
    .openapi({ description: "Only runs that wait for an approval." }),
  unresolved: z
    .enum(["true"])
    .transform(() => true as const)
    .optional()
    .openapi({ description: "Only runs that failed or timed out and have no replay." }),
};

/** The filters of listed deliveries. */
export const deliveryFilter = {
  endpoint: z.string().optional(),
  outcome: deliveryOutcomeSchema.optional(),
  status: z.coerce.number().int().min(100).max(599).optional().openapi({ description: "HTTP status of the response." }),
  trigger: z.string().optional().openapi({ description: "Slug of a trigger that evaluated the deliveries." }),
  verdict: z
    .enum(verdictChoices)
    .optional()
    .openapi({ description: "Verdict of that trigger. `stopped` is every verdict except `matched`." }),
  redeliveryOf: z.string().optional().openapi({ description: "Id of the redelivered delivery." }),
  since: moment,
  until: moment,
  text: text("their body"),
};

/** Converts a query to a filter of the store: without absent names, and with times in UTC milliseconds. */
export function toFilter<T extends { since?: string | undefined; until?: string | undefined }>({
  since,
  until,
  ...rest
}: T) {
  return dropUndefined({ ...rest, since: timestampMs(since), until: timestampMs(until) });
}

/** Only labels the runs that are started: it grants nothing. */
export const clientHeader = z.object({
  "signalbox-client": z
    .enum(["cli", "form"])
    .optional()
    .openapi({ description: "Name of the Signalbox client, recorded in `startedBy` of runs." }),
});

/** Of routes that start runs. */
export const startHeaders = clientHeader.extend({
  "idempotency-key": z.string().trim().min(1).max(512).optional().openapi({
    description:
      "A key of your own for this start. For 24 hours, a repeated request with the same key and the same body starts nothing, and gets the first response with the header `Idempotent-Replayed: true`. With another body, the response is 422 `idempotency_conflict`. A key applies to one workflow, agent or trigger.",
  }),
});

export const idParam = z.object({ id: z.string() });
export const slugParam = z.object({ slug: z.string() });
