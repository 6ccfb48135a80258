/** The tables of the Postgres store. All times are UTC milliseconds. */
export * from "./schema/deliveries.ts";
export * from "./schema/machines.ts";
export * from "./schema/core.ts";
export * from "./schema/runs.ts";
