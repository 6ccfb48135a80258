/** The tables of the SQLite store. All times are UTC milliseconds. */
export * from "./schema/deliveries.ts";
export * from "./schema/lists.ts";
export * from "./schema/core.ts";
export * from "./schema/runs.ts";
