import { z } from "zod";

/** So many requests in so much time. All of them may come at once; from then on they come back evenly. */
export const rateSchema = z.strictObject({
  requests: z.int().min(1).max(1_000_000),
  per: z.enum(["second", "minute", "hour"]),
});

export type Rate = z.infer<typeof rateSchema>;
