import type { NewTimelineEntry } from "../ports/store.ts";

/**
 * An attempt that goes on after a sleep or a lost worker runs its code from the top, and logs again what stands in the
 * timeline already. Entries are held until it is known whether they are retold: reaching a step or sleep that is stored
 * shows that they are, and beginning a new one, or the end, that they are not.
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
    /** The code has come to this step or sleep. */
    reach(name: string): void {
      if (ahead.delete(name)) held = [];
      else flush();
    },
    flush,
  };
}
