import { z } from "zod";
import type { DeliveryFilterFields, RunFilterFields } from "./filters.ts";

/** How far back numbers about traffic reach. */
export const windowSchema = z.enum(["15m", "1h", "24h", "7d"]);

export type Window = z.infer<typeof windowSchema>;

/** Counts over time, in equal buckets. Times are ISO 8601. */
export interface Histogram<Kind extends string> {
  since: string;
  until: string;
  bucketMs: number;
  /** The counted categories, from bottom to top. */
  kinds: Kind[];
  /** Requested filters that the numbers ignore. */
  ignored: (keyof DeliveryFilterFields | keyof RunFilterFields)[];
  /** Earlier rows are not counted, because that would take too long; `null`: all are. */
  countedSince: string | null;
  /** Without gaps; `at` is the start of the bucket. Zero counts are omitted. */
  buckets: { at: string; counts: Partial<Record<Kind, number>> }[];
}

/**
 * How something did in a window of time. `unknown`: nothing has ended. `degraded`: some of it failed. `failing`: more
 * than half of it failed.
 */
export type Health = "unknown" | "healthy" | "degraded" | "failing";
