import { z } from "@hono/zod-openapi";
import { didYouMean } from "../../domain/did-you-mean.ts";

/** The query of a route: parameters that it does not know are refused, so that a misspelt filter never shows everything. */
export function querySchema<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => (issue.code === "unrecognized_keys" ? issue.keys.map((name) => describeUnknown(name, known)).join(" ") : undefined),
  });
}

function describeUnknown(name: string, known: readonly string[]): string {
  const hint = didYouMean(name, known);
  const all = known.length === 0 ? " This route takes none." : ` There are: ${known.join(", ")}.`;
  return `There is no parameter ${JSON.stringify(name)} here.${hint || all}`;
}

export const noQuery = querySchema({});

const rowsAtMost = (byDefault: number) =>
  z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(byDefault)
    .openapi({ description: "Rows in one answer." });

const cursor = z.string().max(512).optional().openapi({ description: "`nextCursor` of the page before. Opaque." });

export const paging = { limit: rowsAtMost(20), cursor };
export const timelinePaging = { limit: rowsAtMost(100), cursor: z.string().regex(/^\d{1,15}$/, "This is not a cursor of this list").optional() };

/** A moment in ISO 8601, or a day, which begins in UTC. */
export const moment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], { error: "Not a time in ISO 8601, such as 2026-11-21T10:00:00Z" })
  .optional()
  .openapi({ description: "ISO 8601; a day alone begins in UTC." });

export function toMs(value: string | undefined): number | undefined {
  return value === undefined ? undefined : Date.parse(value);
}

/** Only labels the runs that are started: it grants nothing. */
export const clientHeader = z.object({
  "signalbox-client": z.enum(["cli", "form"]).optional().openapi({ description: "Which of our own clients asks; runs then say so in `startedBy`." }),
});

export const idParam = z.object({ id: z.string() });
export const slugParam = z.object({ slug: z.string() });
