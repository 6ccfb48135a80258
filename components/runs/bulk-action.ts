/** What can be done to many runs at once. */
export type BulkAction = "replay" | "cancel";
