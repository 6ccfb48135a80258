import { z } from "zod";

const sums = {
  runs: z.int(),
  /** Of `runs`, those whose cost is known. */
  pricedRuns: z.int(),
  /** In and out together. */
  tokens: z.int(),
  /** US dollars, of `pricedRuns`; `null` where the cost of none is known. */
  costUsd: z.number().nullable(),
};

/** What runs of agents have used together. */
export const runsUsageSchema = z.object({
  ...sums,
  /** There are older runs, which were not looked at. */
  isCapped: z.boolean(),
  /** The same for each agent with any, the dearest first. */
  agents: z.array(z.object({ agent: z.string(), ...sums })),
});

export type RunsUsage = z.infer<typeof runsUsageSchema>;
