export type Liveness = "connecting" | "live" | "reconnecting" | "paused" | "signed-out";

/** A connection that is lost for longer is not about to come back. */
export const pausedAfterMs = 15_000;

/** What the header says, from whether news come in just now and since when they do not (`null`: they never did). */
export function livenessOf(p: { isConnected: boolean; lostForMs: number | null }): Exclude<Liveness, "signed-out"> {
  if (p.isConnected) return "live";
  if (p.lostForMs === null) return "connecting";
  return p.lostForMs < pausedAfterMs ? "reconnecting" : "paused";
}
