import { AppError } from "../../contract/app-error.ts";
import type { Key, KeyKind } from "../../contract/access/key.ts";
import type { Scope } from "../../contract/access/scope.ts";
import { expiryOfNext } from "../../shared/access/keys.ts";
import { newId } from "../../domain/ids.ts";
import type { Clock } from "../../ports/clock.ts";
import type { KeyStore, NewKey } from "../../ports/store/key-store.ts";
import { type AuditContext, auditOf } from "../access/audit-context.ts";
import { generateKey, hashKey, keyHint } from "./check-key.ts";
import type { KeyCipher } from "./service-secret.ts";

export const defaultOverlapMs = 24 * 60 * 60 * 1000;
export const maxOverlapSeconds = 90 * 24 * 60 * 60;

export interface CreateKeyRequest {
  kind: KeyKind;
  name: string;
  /** The endpoints that a webhook key may send to; `null`: all. */
  endpoints: string[] | null;
  /** The scope of an API token; `null` for webhook keys. */
  scope: Scope | null;
  /** UTC milliseconds. */
  expiresAt: number | null;
}

/** Creates a key. `secret` is the key itself. An API token is shown only once, a webhook key also in trigger URLs. */
export async function createKey(
  deps: { store: Pick<KeyStore, "createKey">; cipher: KeyCipher; clock: Clock },
  request: CreateKeyRequest,
  auditContext: AuditContext,
): Promise<Key & { secret: string }> {
  const now = deps.clock.now();
  const { secret, newKey } = mintKey(deps.cipher, { ...request, ownerId: auditContext.personId }, now);
  const { id, kind, name, scope, endpoints } = newKey;
  const key = await deps.store.createKey(
    newKey,
    auditOf(auditContext, { action: "key.created", subject: id, detail: { kind, name, scope, endpoints }, now }),
  );
  return { ...key, secret };
}

/** Generates a key that is not in the store yet. */
function mintKey(
  cipher: KeyCipher,
  request: CreateKeyRequest & { ownerId: string | null },
  now: number,
): { secret: string; newKey: NewKey } {
  const { kind, name, endpoints, scope, expiresAt } = request;
  const secret = generateKey(kind);
  const ciphertext = kind === "webhook" ? cipher.seal(secret) : null;
  // Webhook keys belong to the senders: they stay when the account of their creator is removed.
  const ownerId = kind === "api" ? request.ownerId : null;
  return {
    secret,
    newKey: {
      id: newId("key", now),
      ownerId,
      kind,
      name,
      hint: keyHint(secret),
      hash: hashKey(secret),
      ciphertext,
      endpoints,
      scope,
      createdAt: now,
      expiresAt,
    },
  };
}

/**
 * Creates a key like another one, with the same name, endpoints or scope, and lifetime. The old key stays valid for
 * `overlapMs`, so that its clients can change over; with 0 it expires immediately. Both changes are in the audit log.
 * Throws AppError `not_found`, or `key_ended` if the key has expired, is revoked or was already rotated.
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
    { kind, name, endpoints, scope, ownerId, expiresAt: expiryOfNext(old, now) },
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

function unknownKey(id: string): AppError {
  return new AppError("not_found", `There is no key ${id}. \`signalbox keys list\` shows the keys.`);
}

function describeEnded({ id, replacedBy, revokedAt }: Key): string {
  if (replacedBy !== null) return `Key ${id} has already been replaced by ${replacedBy}. Rotate that key.`;
  return `Key ${id} ${revokedAt === null ? "has expired" : "was revoked"}, so it cannot be rotated. \`signalbox keys create\` creates a new key.`;
}

/** Revokes a key immediately and permanently. A second call keeps the first time. Throws AppError `not_found`. */
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
  if (!key) throw unknownKey(id);
  return key;
}
