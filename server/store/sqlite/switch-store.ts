import { eq, isNotNull, sql } from "drizzle-orm";
import { type DisabledTriggers, noneDisabled } from "../../contract/disabled.ts";
import type { SwitchStore } from "../../ports/store.ts";
import { toIso } from "../shared/iso-time.ts";
import { nextSwitch } from "../shared/next-switch.ts";
import type { SqliteDatabase } from "./database.ts";
import { triggerSwitch } from "./schema.ts";

export function createSwitchStore({ db, changed, read, write }: SqliteDatabase): SwitchStore {
  // Asked for in every turn with webhooks: prepared once. The table has a row for each trigger that was ever switched off.
  const disabled = db
    .select({ slug: triggerSwitch.slug, at: triggerSwitch.disabledAt, reason: triggerSwitch.reason })
    .from(triggerSwitch)
    .where(isNotNull(triggerSwitch.disabledAt))
    .prepare();
  return {
    listDisabledTriggers: () =>
      read((): DisabledTriggers => {
        const rows = disabled.all();
        if (rows.length === 0) return noneDisabled;
        return new Map(rows.map(({ slug, at, reason }) => [slug, { at: toIso(at ?? 0), reason }]));
      }),
    switchTrigger: ({ slug, disable }) =>
      write(() => {
        const old = db.select().from(triggerSwitch).where(eq(triggerSwitch.slug, slug)).get();
        const { wasOff, next } = nextSwitch(old, disable);
        if (!next) return wasOff;
        changed();
        const revision = sql<number>`(SELECT coalesce(max(revision), 0) + 1 FROM trigger_switch)`;
        db.insert(triggerSwitch)
          .values({ slug, ...next, revision })
          .onConflictDoUpdate({ target: triggerSwitch.slug, set: { ...next, revision } })
          .run();
        return wasOff;
      }),
  };
}
