import { AppError } from "../contract/app-error.ts";
import type { Key } from "../contract/key.ts";
import type { Clock } from "../ports/clock.ts";
import type { KeyStore } from "../ports/store.ts";
import { mintKey } from "./create-key.ts";
import { type AuditContext, auditOf } from "./doer.ts";
import type { KeyCipher } from "./key-cipher.ts";

export const defaultOverlapMs = 24 * 60 * 60 * 1000;
export const maxOverlapSeconds = 90 * 24 * 60 * 60;

/**
 * Creates a key like another one, with the same name, endpoints or scope, and the same lifetime from now on. The old
 * key stays valid for `overlapMs`, so that its clients can change over; with 0 it expires immediately. Both changes are
 * in the audit log. Throws AppError `not_found`, or `key_ended` if the key has expired, is revoked or was already
 * rotated.
 */
export async function rotateKey(
  deps: { store: Pick<KeyStore, "rotateKey" | "listKeys">; cipher: KeyCipher; clock: Clock },
  { id, overlapMs }: { id: string; overlapMs: number },
  auditContext: AuditContext,
): Promise<{ key: Key & { secret: string }; old: Key }> {
  const now = deps.clock.now();
  const old = (await deps.store.listKeys()).find((key) => key.id === id);
  if (!old) throw unknownKey(id);
  const { kind, name, endpoints, scope } = old;
  // The person who rotates a token becomes its owner, and the token expires with their account.
  const ownerId = auditContext.personId ?? old.ownerId;
  const { secret, newKey } = mintKey(
    deps.cipher,
    { kind, name, endpoints, scope, ownerId, expiresAt: sameLife(old, now) },
    now,
  );
  const endsAt = now + overlapMs;
  const audit = [
    auditOf(auditContext, {
      action: "key.created",
      subject: newKey.id,
      detail: { kind, name, scope, endpoints, replaces: id },
      now,
    }),
    auditOf(auditContext, {
      action: "key.rotated",
      subject: id,
      detail: { replacedBy: newKey.id, endsAt: new Date(endsAt).toISOString() },
      now,
    }),
  ];
  const result = await deps.store.rotateKey({ id, next: newKey, endsAt, now, audit });
  if (result.kind === "missing") throw unknownKey(id);
  if (result.kind === "taken") throw new AppError("key_ended", describeEnded(result.old));
  return { key: { ...result.next, secret }, old: result.old };
}

function sameLife({ createdAt, expiresAt }: Key, now: number): number | null {
  return expiresAt === null ? null : now + Date.parse(expiresAt) - Date.parse(createdAt);
}

function unknownKey(id: string): AppError {
  return new AppError("not_found", `There is no key ${id}. \`signalbox keys list\` shows the keys.`);
}

function describeEnded({ id, replacedBy, revokedAt }: Key): string {
  if (replacedBy !== null) return `Key ${id} has already been replaced by ${replacedBy}. Rotate that key.`;
  return `Key ${id} ${revokedAt === null ? "has expired" : "was revoked"}, so it cannot be rotated. \`signalbox keys create\` creates a new key.`;
}
