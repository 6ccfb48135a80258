/** What the supervisor hears of the web process. */
export interface WebSight {
  /** Time since its last heartbeat. */
  silentMs: number;
  /** Time since any thread of it has given a sign of life. */
  lifelessMs: number;
}

export type WebVerdict = "fine" | "blocked" | "stopped";

const stoppedAfterMs = 8_000;
/**
 * Longer than anything that the service does by itself: a store that others keep locked holds it up for five seconds at
 * a time.
 */
const blockedAfterMs = 18_000;

/**
 * Whether the web process must be ended, since it answers nobody. Stopped: no thread of it has spoken (SIGSTOP, a
 * frozen container). Blocked: it lives, but its event loop does not turn, e.g. because a schema's regular expression
 * takes ages over a hostile body.
 */
export function judgeWeb({ silentMs, lifelessMs }: WebSight): WebVerdict {
  if (lifelessMs > stoppedAfterMs) return "stopped";
  return silentMs > blockedAfterMs ? "blocked" : "fine";
}
