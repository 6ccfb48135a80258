import { eq, isNotNull, sql } from "drizzle-orm";
import { type DisabledTriggers, noneDisabled } from "../../contract/disabled.ts";
import type { SwitchStore } from "../../ports/store.ts";
import { toIso } from "../shared/iso-time.ts";
import { nextSwitch } from "../shared/next-switch.ts";
import type { PostgresDatabase } from "./database.ts";
import { triggerSwitch } from "./schema.ts";

export function createSwitchStore({ read, write }: PostgresDatabase): SwitchStore {
  return {
    listDisabledTriggers: () =>
      read(async ({ db }): Promise<DisabledTriggers> => {
        const rows = await db
          .select({ slug: triggerSwitch.slug, at: triggerSwitch.disabledAt, reason: triggerSwitch.reason })
          .from(triggerSwitch)
          .where(isNotNull(triggerSwitch.disabledAt));
        return rows.length === 0
          ? noneDisabled
          : new Map(rows.map(({ slug, at, reason }) => [slug, { at: toIso(at ?? 0), reason }]));
      }),
    switchTrigger: ({ slug, disable }) =>
      write(async (session) => {
        // Each change has a revision of its own, whoever makes it.
        await session.change("LOCK TABLE trigger_switch IN SHARE ROW EXCLUSIVE MODE");
        const { db } = session;
        const [old] = await db.select().from(triggerSwitch).where(eq(triggerSwitch.slug, slug));
        const { wasOff, next } = nextSwitch(old, disable);
        if (!next) return wasOff;
        const revision = sql<number>`(SELECT coalesce(max(revision), 0) + 1 FROM trigger_switch)`;
        await db
          .insert(triggerSwitch)
          .values({ slug, ...next, revision })
          .onConflictDoUpdate({ target: triggerSwitch.slug, set: { ...next, revision } });
        return wasOff;
      }),
  };
}
