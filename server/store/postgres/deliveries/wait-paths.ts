import { keysOfEvents } from "../../core/wake-runs.ts";
import { type MatchedEvent, unknownPathsMs } from "../../../domain/runs/event-waits.ts";
import type { Session } from "../connection/session.ts";

/**
 * The sets of paths by which runs wait for events. They are few, and every accepted webhook needs them, so each process
 * keeps them. Those of other machines are known after `maxAgeMs`: until then, a search finds what they miss; see
 * `unknownPathsMs`.
 */
export interface WaitPaths {
  /** The keys of the waits that these events end. */
  keysOf(events: readonly MatchedEvent[]): Promise<ReadonlyMap<string, MatchedEvent>>;
  /** The same with the paths that were known at the last call of `keysOf`. */
  knownKeysOf(events: readonly MatchedEvent[]): ReadonlyMap<string, MatchedEvent>;
  /**
   * Notes paths that this process stores at a time. Returns when a search for waits with these paths is final: all
   * processes know them then.
   */
  searchAt(source: string, paths: string, now: number): number;
}

const maxAgeMs = 2_000;

export function createWaitPaths(
  read: <Result>(operation: (session: Session) => Promise<Result>) => Promise<Result>,
): WaitPaths {
  const known = new Map<string, Set<string>>();
  /** When this process stored them first. Another process may have stored them earlier, but it is not known when. */
  const storedAt = new Map<string, number>();
  let readAt = -Infinity;
  let reading: Promise<void> | null = null;

  function add(source: string, paths: string): void {
    known.set(source, (known.get(source) ?? new Set()).add(paths));
  }

  async function refresh(): Promise<void> {
    const startedAt = performance.now();
    const rows = await read((session) =>
      session.rows<{ source: string; paths: string }>("SELECT source, paths FROM signalbox.wait_paths"),
    );
    for (const { source, paths } of rows) add(source, paths);
    readAt = startedAt;
  }

  const knownKeysOf: WaitPaths["knownKeysOf"] = (events) =>
    keysOfEvents(events, (source) => [...(known.get(source) ?? [])]);
  return {
    knownKeysOf,
    async keysOf(events) {
      if (performance.now() - readAt > maxAgeMs) {
        reading ??= refresh().finally(() => (reading = null));
        await reading;
      }
      return knownKeysOf(events);
    },
    searchAt(source, paths, now) {
      add(source, paths);
      const name = JSON.stringify([source, paths]);
      const at = storedAt.get(name) ?? now;
      storedAt.set(name, at);
      return Math.max(now, at + unknownPathsMs);
    },
  };
}
