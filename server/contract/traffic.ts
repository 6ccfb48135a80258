import { z } from "zod";

/** How far back numbers about traffic reach. */
export const windowSchema = z.enum(["15m", "1h", "24h", "7d"]);

export type Window = z.infer<typeof windowSchema>;

/**
 * How something did in a window of time. `unknown`: nothing has ended. `degraded`: some of it failed. `failing`: more
 * than half of it failed.
 */
export type Health = "unknown" | "healthy" | "degraded" | "failing";
