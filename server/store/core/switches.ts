import { eq, isNotNull, sql } from "drizzle-orm";
import { type DisabledTriggers, noneDisabled } from "../../contract/disabled.ts";
import { planSwitch } from "../../domain/trigger-switch.ts";
import type { SwitchStore } from "../../ports/store.ts";
import { toIso } from "../shared/iso-time.ts";
import type { StoreDatabase } from "./store-database.ts";

export function createSwitchStore({ tables: { triggerSwitch }, write, prepare }: StoreDatabase): SwitchStore {
  // The table is small: it has a row for each trigger that was ever disabled.
  const findDisabled = prepare((db) =>
    db
      .select({ slug: triggerSwitch.slug, at: triggerSwitch.disabledAt, reason: triggerSwitch.reason })
      .from(triggerSwitch)
      .where(isNotNull(triggerSwitch.disabledAt)),
  );
  return {
    async listDisabledTriggers() {
      return toDisabledTriggers(await findDisabled({}));
    },
    switchTrigger: ({ slug, disable }) =>
      write(function* ({ db, rows, lockTable, run, changed }) {
        // The lock gives each change its own revision.
        yield* lockTable(triggerSwitch);
        const [old] = yield* rows(db.select().from(triggerSwitch).where(eq(triggerSwitch.slug, slug)));
        const { wasDisabled, next } = planSwitch(old, disable);
        if (!next) return wasDisabled;
        const revision = sql<number>`(SELECT coalesce(max(revision), 0) + 1 FROM ${triggerSwitch})`;
        yield* run(
          db
            .insert(triggerSwitch)
            .values({ slug, ...next, revision })
            .onConflictDoUpdate({ target: triggerSwitch.slug, set: { ...next, revision } }),
        );
        changed("switches");
        return wasDisabled;
      }),
  };
}

export function toDisabledTriggers(
  rows: readonly { slug: string; at: number | null; reason: string | null }[],
): DisabledTriggers {
  if (rows.length === 0) return noneDisabled;
  return new Map(rows.map(({ slug, at, reason }) => [slug, { at: toIso(at ?? 0), reason }]));
}
