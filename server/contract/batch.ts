/** Calls of the pages' API in one request. Each can return megabytes, and all of them are in memory at once. */
export const maxBatchCalls = 16;
