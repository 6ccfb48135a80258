import type { Page } from "../../contract/list.ts";
import type { TimelineEntry } from "../../contract/timeline.ts";

/** The newest entries of a timeline, oldest first. */
interface NewestEntries {
  entries: TimelineEntry[];
  /** The cursor of the entries before these: `before` of the next call. `null`: there are none. */
  olderCursor: string | null;
}

/**
 * Reads a timeline to its end, and keeps its newest entries. `readPage`: the pages of the API, which begin with the
 * oldest entry. `before`: only entries before this cursor.
 */
export async function readNewestEntries(
  readPage: (cursor: string | undefined) => Promise<Page<TimelineEntry>>,
  { limit, before }: { limit: number; before?: string | undefined },
): Promise<NewestEntries> {
  const end = before === undefined ? Infinity : Number(before);
  let entries: TimelineEntry[] = [];
  let isCut = false;
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor);
    const kept = page.data.filter(({ id }) => id < end);
    isCut ||= entries.length + kept.length > limit;
    entries = [...entries, ...kept].slice(-limit);
    cursor = kept.length < page.data.length ? undefined : (page.nextCursor ?? undefined);
  } while (cursor !== undefined);
  const [first] = entries;
  return { entries, olderCursor: isCut && first ? String(first.id) : null };
}
