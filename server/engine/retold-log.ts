import type { NewTimelineEntry } from "../ports/store/engine-store.ts";

/**
 * Removes repeated log entries. An attempt that continues after a sleep or a lost worker runs its code from the top and
 * logs entries again that are already in the timeline. Entries are buffered: if the code reaches a stored step or
 * sleep, they are repeats; if it starts a new one or ends, they are new.
 */
export function createRetoldLog(p: { stored: Iterable<string>; write: (entries: NewTimelineEntry[]) => void }) {
  const ahead = new Set(p.stored);
  let held: NewTimelineEntry[] = [];

  function flush(): void {
    if (held.length > 0) p.write(held);
    held = [];
    ahead.clear();
  }

  return {
    note(entry: NewTimelineEntry): void {
      if (ahead.size > 0) held.push(entry);
      else p.write([entry]);
    },
    /** Called when the code reaches this step or sleep. */
    reach(name: string): void {
      if (ahead.delete(name)) held = [];
      else flush();
    },
    flush,
  };
}
