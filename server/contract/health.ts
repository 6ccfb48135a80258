/**
 * How something did in a window of time. `unknown`: nothing has ended. `degraded`: some of it failed. `failing`: more
 * than half of it failed.
 */
export type Health = "unknown" | "healthy" | "degraded" | "failing";
