import type { RunFilter } from "./run-filters.ts";

/** The filter, limited to runs that existed at a time. */
export function withUntil(filter: RunFilter, until: string): RunFilter {
  return { ...filter, until: filter.until !== undefined && filter.until < until ? filter.until : until };
}
