import type { HttpChild } from "./child.ts";
import { stalledAfterMs } from "../../domain/store-stall.ts";
import type { DiskWait } from "../event-loop/block-report.ts";
import { formatInterval } from "../../shared/format.ts";

/** The state of a process, as the supervisor observes it. */
interface ProcessObservation {
  /** Time since its last heartbeat. */
  silentMs: number;
  /** Time since the last message of any of its threads. */
  unresponsiveMs: number;
}

type ProcessVerdict = "fine" | "blocked" | "stopped";

const stoppedAfterMs = 8_000;
/**
 * Longer than any operation of the service itself: a store that is locked by another program delays it by five seconds
 * at a time.
 */
const blockedAfterMs = 18_000;

export const watchEveryMs = 250;
/** A start is slow on an overloaded machine. Another start would not be faster. */
const maxStartMs = 120_000;
/**
 * The time that a process found unresponsive has to respond. It may have been stopped together with this process, and
 * resume with it.
 */
const maxResumeMs = 2_000;

type Watched = Pick<
  HttpChild,
  "startedAt" | "readyAt" | "silentMs" | "unresponsiveMs" | "blockReports" | "diskWait" | "kill"
>;

/**
 * Returns a function that checks the process once. It kills a process that is stopped or blocked for too long, or never
 * starts. `onBlocked` gets the stack at which the process was blocked.
 */
export function createProcessWatch(p: {
  child: () => Watched;
  onBlocked: (stack: string) => void;
  /** Called once for each time that the disk does not respond to the process, and when it responds again. */
  onDiskStalled: (wait: DiskWait) => void;
  onDiskResponds: (stalledMs: number) => void;
}): () => Promise<void> {
  /** When the operation began that the disk does not respond to. */
  let stalled: { child: Watched; since: number } | null = null;
  const unresponsiveSince = new WeakMap<Watched, number>();
  const ended = new WeakSet<Watched>();
  let lastCheckAt = performance.now();

  function check(child: Watched, now: number): void {
    if (ended.has(child)) return;
    if (child.readyAt() === null)
      return now - child.startedAt > maxStartMs
        ? end(child, `did not start within ${formatInterval(maxStartMs)}, and was ended`)
        : undefined;
    const silentMs = child.silentMs();
    const unresponsiveMs = child.unresponsiveMs();
    watchDisk(child, now);
    const verdict = assessProcess({ silentMs, unresponsiveMs });
    if (verdict === "fine") return void unresponsiveSince.delete(child);
    const since = unresponsiveSince.get(child) ?? now;
    unresponsiveSince.set(child, since);
    if (now - since < maxResumeMs) return;
    if (verdict === "stopped")
      return end(child, `did not respond for ${seconds(unresponsiveMs)}, as if stopped by SIGSTOP, and was ended`);
    if (stalled?.child === child)
      return end(
        child,
        `did not respond for ${seconds(silentMs)}, because the disk of the store did not, and was ended`,
      );
    const stack = child.blockReports().at(-1)?.stack;
    if (stack) p.onBlocked(stack);
    end(child, `did not respond for ${seconds(silentMs)}, because its event loop was blocked, and was ended`);
  }

  function watchDisk(child: Watched, now: number): void {
    const wait = child.diskWait();
    if (stalled?.child === child && wait === null) {
      p.onDiskResponds(now - stalled.since);
      stalled = null;
    }
    if (wait === null || wait.waitedMs < stalledAfterMs || stalled?.child === child) return;
    stalled = { child, since: now - wait.waitedMs };
    p.onDiskStalled(wait);
  }

  function end(child: Watched, how: string): void {
    ended.add(child);
    child.kill(how);
  }

  return async () => {
    // If this process was delayed itself, messages of the process may be unread. They are read first.
    if (performance.now() - lastCheckAt > 4 * watchEveryMs) await new Promise(setImmediate);
    lastCheckAt = performance.now();
    check(p.child(), lastCheckAt);
  };
}

/** In whole seconds. */
const seconds = (ms: number) => formatInterval(Math.round(ms / 1000) * 1000);

/**
 * Whether a process must be killed because it answers no requests. Stopped: none of its threads has sent a message
 * (SIGSTOP, a frozen container). Blocked: it is alive, but its event loop does not turn, e.g. because a schema's
 * regular expression takes minutes for a hostile body.
 */
export function assessProcess({ silentMs, unresponsiveMs }: ProcessObservation): ProcessVerdict {
  if (unresponsiveMs > stoppedAfterMs) return "stopped";
  return silentMs > blockedAfterMs ? "blocked" : "fine";
}
