import type { WebChild } from "./web-child.ts";

/** What the supervisor hears of the web process. */
interface WebSight {
  /** Time since its last heartbeat. */
  silentMs: number;
  /** Time since any thread of it has given a sign of life. */
  lifelessMs: number;
}

type WebVerdict = "fine" | "blocked" | "stopped";

const stoppedAfterMs = 8_000;
/**
 * Longer than anything that the service does by itself: a store that others keep locked holds it up for five seconds at
 * a time.
 */
const blockedAfterMs = 18_000;

export const watchEveryMs = 250;
/** On a machine that has no time for anything a start takes long, and beginning anew makes nothing faster. */
const startWithinMs = 120_000;
/**
 * How long after it was first found without a sign of life it has to give one: it may have been stopped together with
 * this process, and wake with it.
 */
const wakeWithinMs = 2_000;

type Watched = Pick<WebChild, "startedAt" | "readyAt" | "heardAt" | "livedAt" | "blockReports" | "kill">;

/**
 * Gives one look at the web process: it is ended when it is stopped or blocked for too long, or never starts.
 * `tellPlace` gets the stack at which it was blocked.
 */
export function createWebWatch(p: { web: () => Watched; tellPlace: (stack: string) => void }): () => Promise<void> {
  const suspectSince = new WeakMap<Watched, number>();
  const ended = new WeakSet<Watched>();
  let lastLookAt = performance.now();

  function lookAt(web: Watched, now: number): void {
    if (ended.has(web)) return;
    if (web.readyAt() === null)
      return now - web.startedAt > startWithinMs
        ? end(web, `did not start within ${startWithinMs / 1000} s, and was ended`)
        : undefined;
    const silentMs = now - web.heardAt();
    const lifelessMs = now - web.livedAt();
    const verdict = judgeWeb({ silentMs, lifelessMs });
    if (verdict === "fine") return void suspectSince.delete(web);
    const since = suspectSince.get(web) ?? now;
    suspectSince.set(web, since);
    if (now - since < wakeWithinMs) return;
    if (verdict === "stopped")
      return end(web, `did not respond for ${seconds(lifelessMs)}, as if stopped by SIGSTOP, and was ended`);
    const place = web.blockReports().at(-1)?.stack;
    if (place) p.tellPlace(place);
    end(web, `did not respond for ${seconds(silentMs)}, because its event loop was blocked, and was ended`);
  }

  function end(web: Watched, how: string): void {
    ended.add(web);
    web.kill(how);
  }

  return async () => {
    // This process was held up itself: what looks like silence may only be unread. So it is read first.
    if (performance.now() - lastLookAt > 4 * watchEveryMs) await new Promise(setImmediate);
    lastLookAt = performance.now();
    lookAt(p.web(), lastLookAt);
  };
}

const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;

/**
 * Whether the web process must be ended, since it answers nobody. Stopped: no thread of it has spoken (SIGSTOP, a
 * frozen container). Blocked: it lives, but its event loop does not turn, e.g. because a schema's regular expression
 * takes ages over a hostile body.
 */
export function judgeWeb({ silentMs, lifelessMs }: WebSight): WebVerdict {
  if (lifelessMs > stoppedAfterMs) return "stopped";
  return silentMs > blockedAfterMs ? "blocked" : "fine";
}
