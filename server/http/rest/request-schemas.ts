import { z } from "@hono/zod-openapi";
import { timestampSchema } from "../../contract/list.ts";
import { didYouMean } from "../../../sdk/did-you-mean.ts";
import { deliveryId, runId } from "../../contract/fields.ts";
import { givenKeySchema } from "../../contract/project/run-key.ts";

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

/** A number that is written as text. Unlike with `z.coerce`, an empty text is no number. */
export function numberText(schema: z.ZodNumber) {
  return z.preprocess((text) => (typeof text === "string" && text.trim() !== "" ? Number(text) : text), schema);
}

const rowsAtMost = (byDefault: number) =>
  numberText(z.int().min(1).max(100)).default(byDefault).describe("Maximum number of rows per page.");

const cursorText = "`nextCursor` of the previous page. Opaque.";
const cursor = z.string().max(512).optional().describe(cursorText);

export const paging = { limit: rowsAtMost(20), cursor };
export const timelinePaging = {
  limit: rowsAtMost(100),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, "Invalid cursor for this list")
    .optional()
    .describe(cursorText),
};

export const moment = timestampSchema
  .clone()
  .optional()
  .describe("ISO 8601. A date without a time starts at midnight UTC.");

/** A filter as the query of a route, where numbers and flags are text. */
export function queryOf<Shape extends Record<string, z.ZodOptional>>({ shape }: z.ZodObject<Shape>) {
  const fields = Object.entries(shape).map(([name, field]) => {
    const schema = field.unwrap() as z.ZodType;
    return [
      name,
      readingText(schema)
        .optional()
        .describe(schema.description ?? ""),
    ];
  });
  return Object.fromEntries(fields) as { [Name in keyof Shape]: z.ZodType<z.output<Shape[Name]>> };
}

/** The schema of the same value, written as text. */
function readingText(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodNumber) return numberText(schema);
  if (schema instanceof z.ZodLiteral) return z.enum(["true"]).transform(() => true as const);
  return schema;
}

/** Only labels the runs that are started: it grants nothing. */
export const clientHeader = z.object({
  "signalbox-client": z
    .enum(["cli", "form"])
    .optional()
    .describe("Name of the Signalbox client, recorded in `startedBy` of runs."),
});

/** Of routes that start runs. */
export const startHeaders = clientHeader.extend({
  "idempotency-key": z
    .string()
    .trim()
    .min(1)
    .max(512)
    .optional()
    .describe(
      "A key of your own for this start. For 24 hours, a repeated request with the same key and the same body starts nothing, and gets the first response with the header `Idempotent-Replayed: true`. With another body, the response is 422 `idempotency_conflict`. A key applies to one workflow, agent or trigger.",
    ),
});

export const startKey = givenKeySchema
  .optional()
  .describe("What the run is about, e.g. the id of a customer. Lists of runs filter by it. Default: no key.");

export const runParam = z.object({ id: runId });
export const deliveryParam = z.object({ id: deliveryId });
