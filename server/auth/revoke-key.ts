import { AppError } from "../contract/app-error.ts";
import type { Key } from "../contract/key.ts";
import type { Clock } from "../ports/clock.ts";
import type { KeyStore } from "../ports/store.ts";
import { type AuditContext, auditOf } from "./doer.ts";

/** Revokes a key immediately and permanently. Revoking it twice keeps the first time. Throws AppError `not_found`. */
export async function revokeKey(
  deps: { store: Pick<KeyStore, "revokeKey" | "listKeys">; clock: Clock },
  id: string,
  auditContext: AuditContext,
): Promise<Key> {
  const now = deps.clock.now();
  const isKnown = await deps.store.revokeKey(
    id,
    now,
    auditOf(auditContext, { action: "key.revoked", subject: id, now }),
  );
  const key = isKnown ? (await deps.store.listKeys()).find((other) => other.id === id) : undefined;
  if (!key) throw new AppError("not_found", `There is no key ${id}. \`signalbox keys list\` shows the keys.`);
  return key;
}
