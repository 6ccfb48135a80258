import { and, eq, type SQL } from "drizzle-orm";
import type { Operation } from "../shared/operation.ts";
import type { StoreSession } from "./store-database.ts";
import type { CoreTables } from "./tables.ts";

/** The password among the sign-in methods of a person. */
export function hasPassword({ personAccount }: CoreTables, personId: string): SQL | undefined {
  return and(eq(personAccount.userId, personId), eq(personAccount.providerId, "credential"));
}

/** Returns `false` if the person has no password to replace. */
export function* setPassword(
  { db, tables, rows }: StoreSession,
  p: { personId: string; passwordHash: string; now: number },
): Operation<boolean> {
  const { personAccount } = tables;
  const changed = yield* rows(
    db
      .update(personAccount)
      .set({ password: p.passwordHash, updatedAt: new Date(p.now) })
      .where(hasPassword(tables, p.personId))
      .returning({ id: personAccount.id }),
  );
  return changed.length > 0;
}
