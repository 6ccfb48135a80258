import { z } from "@hono/zod-openapi";
import { deliveryOutcomeSchema } from "../../contract/delivery.ts";
import { momentMs, momentSchema } from "../../contract/moment.ts";
import { runStatusSchema } from "../../contract/run.ts";
import { targetKindSchema } from "../../contract/target.ts";
import { verdictChoices } from "../../deliveries/filter-deliveries.ts";
import { didYouMean } from "../../domain/did-you-mean.ts";
import { dropUndefined } from "../../domain/drop-undefined.ts";

/** The query of a route: parameters that it does not know are refused, so that a misspelt filter never shows everything. */
export function querySchema<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? issue.keys.map((name) => describeUnknown(name, known)).join(" ") : undefined,
  });
}

function describeUnknown(name: string, known: readonly string[]): string {
  const hint = didYouMean(name, known);
  const all = known.length === 0 ? " This route takes none." : ` There are: ${known.join(", ")}.`;
  return `There is no parameter ${JSON.stringify(name)} here.${hint || all}`;
}

export const noQuery = querySchema({});

const rowsAtMost = (byDefault: number) =>
  z.coerce.number().int().min(1).max(100).default(byDefault).openapi({ description: "Rows in one answer." });

const cursor = z.string().max(512).optional().openapi({ description: "`nextCursor` of the page before. Opaque." });

export const paging = { limit: rowsAtMost(20), cursor };
export const timelinePaging = {
  limit: rowsAtMost(100),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, "This is not a cursor of this list")
    .optional(),
};

const moment = momentSchema.clone().optional().openapi({ description: "ISO 8601; a day alone begins in UTC." });
const text = (where: string) =>
  z
    .string()
    .min(1)
    .max(200)
    .optional()
    .openapi({ description: `Only those with this text in ${where}; ASCII letters in either case.` });

/** By which runs are listed and exported. */
export const runFilter = {
  trigger: z.string().optional().openapi({ description: "Slug of a trigger." }),
  target: z.string().optional().openapi({ description: "Slug of a workflow or an agent." }),
  targetKind: targetKindSchema.clone().optional(),
  status: runStatusSchema.optional(),
  delivery: z.string().optional().openapi({ description: "Id of the delivery that started them." }),
  version: z.string().optional().openapi({ description: "Version of the project that they began with." }),
  replayOf: z.string().optional().openapi({ description: "Id of the run that they replay." }),
  since: moment,
  until: moment,
  text: text("their payload or input"),
  minTokens: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .openapi({ description: "Only runs of agents that used so many tokens, or more." }),
  minCostUsd: z.coerce.number().min(0).optional().openapi({
    description:
      "Only runs of agents that cost so many US dollars, or more; those whose cost is not known are left out.",
  }),
  needsApproval: z
    .enum(["true"])
    .transform(() => true as const)
    .optional()
    .openapi({ description: "Only runs that wait for a person's decision." }),
};

/** By which deliveries are listed. */
export const deliveryFilter = {
  endpoint: z.string().optional(),
  outcome: deliveryOutcomeSchema.optional(),
  status: z.coerce.number().int().min(100).max(599).optional().openapi({ description: "Status of the answer." }),
  trigger: z.string().optional().openapi({ description: "Slug of a trigger that decided on them." }),
  verdict: z
    .enum(verdictChoices)
    .optional()
    .openapi({ description: "What that trigger decided; `stopped` is everything but `matched`." }),
  redeliveryOf: z.string().optional().openapi({ description: "Id of the delivery whose body was delivered again." }),
  since: moment,
  until: moment,
  text: text("their body"),
};

/** Without the names that were not given, and with times in UTC milliseconds: as the store takes it. */
export function toFilter<T extends { since?: string | undefined; until?: string | undefined }>({
  since,
  until,
  ...rest
}: T) {
  return dropUndefined({ ...rest, since: momentMs(since), until: momentMs(until) });
}

/** Only labels the runs that are started: it grants nothing. */
export const clientHeader = z.object({
  "signalbox-client": z
    .enum(["cli", "form"])
    .optional()
    .openapi({ description: "Which of our own clients asks; runs then say so in `startedBy`." }),
});

export const idParam = z.object({ id: z.string() });
export const slugParam = z.object({ slug: z.string() });
