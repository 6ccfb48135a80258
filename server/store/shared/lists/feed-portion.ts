/** A row of the feed, without its wide columns. */
interface FeedRow {
  bodyBytes: number;
  /** Whether the reader wants it. */
  isWanted: boolean;
}

/** The rows that one read examines. */
export const maxFeedRows = 1_000;
const maxEntries = 100;
/** The bodies that are in memory at once, unless a single one is larger. */
const maxBodyBytes = 4 * 1024 * 1024;

/** The wanted rows that one page has, and its last row. `null`: there are no rows. */
export function portionOf<Row extends FeedRow>(rows: readonly Row[]): { wanted: Row[]; last: Row | null } {
  const wanted: Row[] = [];
  let last: Row | null = null;
  let bytes = 0;
  for (const row of rows) {
    if (row.isWanted) {
      bytes += row.bodyBytes;
      if (wanted.length === maxEntries || (wanted.length > 0 && bytes > maxBodyBytes)) break;
      wanted.push(row);
    }
    last = row;
  }
  return { wanted, last };
}
