import { eq, sql } from "drizzle-orm";
import type { Store } from "../../ports/store.ts";
import { toKey } from "../core/keys.ts";
import type { StoreDatabase } from "../core/store-database.ts";
import { toDisabledTriggers } from "../core/switches.ts";

/** The disabled triggers as one value; NULL: none. */
const disabledSql = sql<{ slug: string; at: number; reason: string | null }[] | null>`(
  SELECT json_agg(json_build_object('slug', slug, 'at', disabled_at, 'reason', reason))
  FROM signalbox.trigger_switch WHERE disabled_at IS NOT NULL
)`;

/** The reads of every webhook as one statement: each of them would wait for an answer of the database. */
export function createWebhookReads({
  tables: { webhookKey },
  prepare,
}: Pick<StoreDatabase, "tables" | "prepare">): Pick<Store, "findKeyWithDisabled"> {
  const find = prepare((db) =>
    db
      .select({ key: webhookKey, disabled: disabledSql })
      .from(webhookKey)
      .where(eq(webhookKey.hash, sql.placeholder("hash"))),
  );
  return {
    async findKeyWithDisabled(hash) {
      const [found] = await find({ hash });
      return found ? { key: toKey(found.key), disabled: toDisabledTriggers(found.disabled ?? []) } : null;
    },
  };
}
