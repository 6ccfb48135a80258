import { z } from "zod";

/** A number of requests per unit of time. All of them may be sent at once; the allowance then refills evenly. */
export const rateSchema = z.strictObject({
  requests: z.int().min(1).max(1_000_000),
  per: z.enum(["second", "minute", "hour"]),
});

export type Rate = z.infer<typeof rateSchema>;
