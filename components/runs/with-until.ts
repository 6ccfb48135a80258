import type { RunFilter } from "./run-filters.ts";

/** The filter, bounded to what was there at a moment. */
export function withUntil(filter: RunFilter, until: string): RunFilter {
  return { ...filter, until: filter.until !== undefined && filter.until < until ? filter.until : until };
}
