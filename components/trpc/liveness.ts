export type Liveness = "connecting" | "live" | "reconnecting" | "paused" | "signed-out";

/** After this time without a connection, the state is `paused`. */
export const pausedAfterMs = 15_000;

/** The state shown in the header. `lostForMs`: the time without a connection; `null`: never connected. */
export function livenessOf(p: { isConnected: boolean; lostForMs: number | null }): Exclude<Liveness, "signed-out"> {
  if (p.isConnected) return "live";
  if (p.lostForMs === null) return "connecting";
  return p.lostForMs < pausedAfterMs ? "reconnecting" : "paused";
}
