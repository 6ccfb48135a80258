import { doublePrecision, index } from "drizzle-orm/pg-core";
import { pgTable, text, whole } from "./columns.ts";

/** Facts that must be equal on all machines of a store, e.g. `secret`: the fingerprint of their secret. */
export const storeFact = pgTable("store_fact", { name: text("name").primaryKey(), value: text("value").notNull() });

/** The remaining allowance of a rate limit and its subject. Without a row, it is full. */
export const rateBucket = pgTable(
  "rate_bucket",
  {
    name: text("name").primaryKey(),
    tokens: doublePrecision("tokens").notNull(),
    /** By the clock of the database. */
    filledAt: whole("filled_at").notNull(),
  },
  (t) => [index("rate_bucket_by_time").on(t.filledAt)],
);
