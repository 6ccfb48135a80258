import { z } from "zod";
import { actual, endpoint, expected, pointer } from "./fields.ts";

/** One change of the deliveries to an endpoint. */
const driftSchema = z.object({
  endpoint,
  kind: z.string().nullable().describe("The kind of the events. `null`: they have none, or the change is a new kind."),
  change: z
    .enum(["stopped_matching", "new_type", "missing_field", "new_field", "new_value", "new_kind"])
    .describe("What changed."),
  pointer: z
    .string()
    .nullable()
    .describe("Path in the body, with `*` for items and for keys that are data. `null`: the whole body."),
  trigger: z.string().nullable().describe("Slug of the trigger that does not match any more."),
  /** The previous types. */
  expected,
  /** The new type, value or kind. */
  actual,
  /** The first delivery with the change; of a missing field, the last one with the field. */
  since: z.iso.datetime().describe("When the first delivery with the change was received."),
  deliveries: z.int().describe("Number of deliveries with the change."),
  of: z.int().describe("Number of deliveries since then that could have it."),
  reasons: z
    .array(
      z.object({
        pointer,
        expected,
        actual,
        deliveries: z.int().describe("Number of deliveries."),
      }),
    )
    .describe("Why deliveries do not match any more, the most frequent reason first."),
  text: z.string().describe("The change in words."),
});

/** What an endpoint's deliveries are compared with. */
const comparedEndpointSchema = z.object({
  endpoint,
  kinds: z.int().describe("Number of kinds."),
  deliveries: z.int().describe("Number of deliveries."),
  lastSeen: z.iso
    .datetime()
    .nullable()
    .describe("When the last compared delivery was received. `null`: none was compared."),
  isComplete: z
    .boolean()
    .describe("`false`: there was no time to compare all new deliveries. A later report has them."),
});

export const driftReportSchema = z.object({
  data: z.array(driftSchema).describe("The changes."),
  compared: z.array(comparedEndpointSchema).describe("What the deliveries of each endpoint were compared with."),
});

export type DriftChange = z.infer<typeof driftSchema>;
export type DriftReport = z.infer<typeof driftReportSchema>;
