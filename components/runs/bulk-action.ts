import type { RunFilter } from "./run-filters.ts";

/** What can be done to many runs at once. */
export type BulkAction = "replay" | "cancel";

/** All runs that match a filter and were there at a time. */
export interface Matching {
  filter: RunFilter;
  until: string;
}
