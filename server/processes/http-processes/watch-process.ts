import type { HttpChild } from "./child.ts";

/** What the supervisor knows of a process. */
interface ProcessSight {
  /** Time since its last heartbeat. */
  silentMs: number;
  /** Time since any thread of it has given a sign of life. */
  lifelessMs: number;
}

type ProcessVerdict = "fine" | "blocked" | "stopped";

const stoppedAfterMs = 8_000;
/**
 * Longer than anything that the service does by itself: a store that others keep locked holds it up for five seconds at
 * a time.
 */
const blockedAfterMs = 18_000;

export const watchEveryMs = 250;
/** A start takes long on a machine that is overloaded. Another start would not be faster. */
const startWithinMs = 120_000;
/**
 * How long after it was first found without a sign of life it has to give one: it may have been stopped together with
 * this process, and wake with it.
 */
const wakeWithinMs = 2_000;

type Watched = Pick<HttpChild, "startedAt" | "readyAt" | "heardAt" | "livedAt" | "blockReports" | "kill">;

/**
 * Returns a function that looks at the process once: it is ended if it is stopped or blocked for too long, or never
 * starts. `onBlocked` gets the stack at which it was blocked.
 */
export function createProcessWatch(p: {
  child: () => Watched;
  onBlocked: (stack: string) => void;
}): () => Promise<void> {
  const suspectSince = new WeakMap<Watched, number>();
  const ended = new WeakSet<Watched>();
  let lastLookAt = performance.now();

  function lookAt(child: Watched, now: number): void {
    if (ended.has(child)) return;
    if (child.readyAt() === null)
      return now - child.startedAt > startWithinMs
        ? end(child, `did not start within ${startWithinMs / 1000} s, and was ended`)
        : undefined;
    const silentMs = now - child.heardAt();
    const lifelessMs = now - child.livedAt();
    const verdict = judgeProcess({ silentMs, lifelessMs });
    if (verdict === "fine") return void suspectSince.delete(child);
    const since = suspectSince.get(child) ?? now;
    suspectSince.set(child, since);
    if (now - since < wakeWithinMs) return;
    if (verdict === "stopped")
      return end(child, `did not respond for ${seconds(lifelessMs)}, as if stopped by SIGSTOP, and was ended`);
    const stack = child.blockReports().at(-1)?.stack;
    if (stack) p.onBlocked(stack);
    end(child, `did not respond for ${seconds(silentMs)}, because its event loop was blocked, and was ended`);
  }

  function end(child: Watched, how: string): void {
    ended.add(child);
    child.kill(how);
  }

  return async () => {
    // This process was delayed itself: what looks like silence may only be unread. So it is read first.
    if (performance.now() - lastLookAt > 4 * watchEveryMs) await new Promise(setImmediate);
    lastLookAt = performance.now();
    lookAt(p.child(), lastLookAt);
  };
}

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;

/**
 * Whether a process must be ended, since it answers no request. Stopped: no thread of it has reported (SIGSTOP, a
 * frozen container). Blocked: it is alive, but its event loop does not turn, e.g. because a schema's regular expression
 * takes minutes for a hostile body.
 */
export function judgeProcess({ silentMs, lifelessMs }: ProcessSight): ProcessVerdict {
  if (lifelessMs > stoppedAfterMs) return "stopped";
  return silentMs > blockedAfterMs ? "blocked" : "fine";
}
