import { and, eq, type SQL } from "drizzle-orm";
import type { Operation } from "../shared/operation.ts";
import type { PortableSession } from "./portable-database.ts";
import type { PortableTables } from "./tables.ts";

/** The password among the sign-in methods of a person. */
export function hasPassword({ personAccount }: PortableTables, personId: string): SQL | undefined {
  return and(eq(personAccount.userId, personId), eq(personAccount.providerId, "credential"));
}

/** Returns `false` if the person has no password to replace. */
export function* setPassword(
  { db, tables, rows }: PortableSession,
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
