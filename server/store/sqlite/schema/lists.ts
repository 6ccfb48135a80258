import { sql } from "drizzle-orm";
import { index, integer, real, sqliteTable } from "drizzle-orm/sqlite-core";
import { deliveryOutcomeCodes, runStatusCodes, targetKindCodes } from "../../../domain/stored-codes.ts";
import { code, named } from "./columns.ts";
import { hasFailedSql } from "../stored-forms.ts";
import { delivery } from "./deliveries.ts";
import { run } from "./runs.ts";

// The list index: the columns that lists filter by, for all deliveries and runs up to a number. It is filled after the
// commit, many rows at a time; see `list-index.ts`. Each index ends with the number of the row.

export const deliveryList = sqliteTable(
  "delivery_list",
  {
    seq: integer("seq")
      .primaryKey()
      .references(() => delivery.seq, { onDelete: "cascade" }),
    receivedAt: integer("received_at").notNull(),
    endpoint: named("endpoint").notNull(),
    outcome: code("outcome", deliveryOutcomeCodes).notNull(),
    responseStatus: integer("response_status").notNull(),
  },
  (t) => [
    index("delivery_by_time").on(t.receivedAt),
    index("delivery_by_endpoint").on(t.endpoint, t.receivedAt),
    index("delivery_by_outcome").on(t.outcome, t.receivedAt),
    index("delivery_by_response_status").on(t.responseStatus, t.receivedAt),
  ],
);

/** The database trigger `run_list_follows` copies later changes of a run. */
export const runList = sqliteTable(
  "run_list",
  {
    seq: integer("seq")
      .primaryKey()
      .references(() => run.seq, { onDelete: "cascade" }),
    createdAt: integer("created_at").notNull(),
    status: code("status", runStatusCodes).notNull(),
    trigger: named("trigger"),
    targetSlug: named("target_slug").notNull(),
    targetKind: code("target_kind", targetKindCodes).notNull(),
    version: named("version").notNull(),
    key: named("key"),
    startedAt: integer("started_at"),
    finishedAt: integer("finished_at"),
    tokens: integer("tokens"),
    costUsd: real("cost_usd"),
  },
  (t) => [
    index("run_by_time").on(t.createdAt),
    index("run_by_trigger").on(t.trigger, t.createdAt),
    index("run_by_target").on(t.targetSlug, t.createdAt),
    index("run_by_status").on(t.status, t.createdAt),
    index("run_failed").on(t.createdAt).where(sql.raw(hasFailedSql)),
    index("run_by_key")
      .on(t.key, t.createdAt)
      .where(sql`key IS NOT NULL`),
    index("run_by_spend")
      .on(t.createdAt)
      .where(sql`tokens IS NOT NULL`),
  ],
);
