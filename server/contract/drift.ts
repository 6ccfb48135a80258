import { z } from "zod";

/** One change of the deliveries to an endpoint. */
const driftSchema = z.object({
  endpoint: z.string(),
  /** The kind of the events, e.g. `issues opened`; `null`: the events have no kind, or the change is a new kind. */
  kind: z.string().nullable(),
  change: z.enum(["stopped_matching", "new_type", "missing_field", "new_field", "new_value", "new_kind"]),
  /** The path in the body, with `*` for items of arrays and for keys that are data; `null`: the whole body. */
  pointer: z.string().nullable(),
  /** The trigger that does not match any more. */
  trigger: z.string().nullable(),
  /** The previous types. */
  expected: z.string().nullable(),
  /** The new type, value or kind. */
  actual: z.string().nullable(),
  /** The first delivery with the change; of a missing field, the last one with the field. */
  since: z.iso.datetime(),
  /** The number of deliveries with the change, and of all since then that could have it. */
  deliveries: z.int(),
  of: z.int(),
  /** Why deliveries do not match any more, the most frequent reason first. */
  reasons: z.array(
    z.object({
      pointer: z.string(),
      expected: z.string().nullable(),
      actual: z.string().nullable(),
      deliveries: z.int(),
    }),
  ),
  /** The change in words. */
  text: z.string(),
});

/** What an endpoint's deliveries are compared with. */
const comparedEndpointSchema = z.object({
  endpoint: z.string(),
  kinds: z.int(),
  deliveries: z.int(),
  /** The last delivery that was compared; `null`: none was. */
  lastSeen: z.iso.datetime().nullable(),
  /** `false`: there was no time to compare all new deliveries. A later report has them. */
  isComplete: z.boolean(),
});

export const driftReportSchema = z.object({
  data: z.array(driftSchema),
  compared: z.array(comparedEndpointSchema),
});

export type DriftChange = z.infer<typeof driftSchema>;
export type DriftReport = z.infer<typeof driftReportSchema>;
