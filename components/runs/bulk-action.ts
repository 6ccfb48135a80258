import type { RunFilter } from "./run-filters.ts";

/** The bulk actions on runs. */
export type BulkAction = "replay" | "cancel";

/** All runs that match a filter and existed at the time `until`. */
export interface Matching {
  filter: RunFilter;
  until: string;
}
