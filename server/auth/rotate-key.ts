import { AppError } from "../contract/app-error.ts";
import type { Key } from "../contract/key.ts";
import type { Clock } from "../ports/clock.ts";
import type { KeyStore } from "../ports/store.ts";
import { mintKey } from "./create-key.ts";
import { type Doer, auditOf } from "./doer.ts";
import type { KeyCipher } from "./key-cipher.ts";

export const defaultOverlapMs = 24 * 60 * 60 * 1000;
export const maxOverlapSeconds = 90 * 24 * 60 * 60;

/**
 * Makes a key like another, with the same name, endpoints or scope, and as long a life from now as that had. The old
 * one still opens for `overlapMs`, so that whoever bears it can change over; with 0 it ends at once. Both are written
 * down. Throws AppError `not_found`, or `key_ended` where the key has ended or was rotated before.
 */
export async function rotateKey(
  deps: { store: Pick<KeyStore, "rotateKey" | "listKeys">; cipher: KeyCipher; clock: Clock },
  { id, overlapMs }: { id: string; overlapMs: number },
  doer: Doer,
): Promise<{ key: Key & { secret: string }; old: Key }> {
  const now = deps.clock.now();
  const old = (await deps.store.listKeys()).find((key) => key.id === id);
  if (!old) throw unknownKey(id);
  const { kind, name, endpoints, scope } = old;
  // Whoever rotates a token has it in hand from then on, and it ends with them.
  const ownerId = doer.personId ?? old.ownerId;
  const { secret, newKey } = mintKey(
    deps.cipher,
    { kind, name, endpoints, scope, ownerId, expiresAt: sameLife(old, now) },
    now,
  );
  const endsAt = now + overlapMs;
  const audit = [
    auditOf(doer, {
      action: "key.created",
      subject: newKey.id,
      detail: { kind, name, scope, endpoints, replaces: id },
      now,
    }),
    auditOf(doer, {
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
  if (replacedBy !== null) return `Key ${id} was rotated before: ${replacedBy} took its place. Rotate that one.`;
  return `Key ${id} ${revokedAt === null ? "has expired" : "was revoked"}: there is nothing to change over. \`signalbox keys create\` makes a new one.`;
}
