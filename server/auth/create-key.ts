import type { Key, KeyKind } from "../contract/key.ts";
import type { Scope } from "../contract/scope.ts";
import { newId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { KeyStore, NewKey } from "../ports/store.ts";
import { type AuditContext, auditOf } from "./doer.ts";
import type { KeyCipher } from "./key-cipher.ts";
import { generateKey, hashKey, keyHint } from "./key-format.ts";

export interface CreateKeyRequest {
  kind: KeyKind;
  name: string;
  /** The endpoints that a webhook key opens; `null` opens all. */
  endpoints: string[] | null;
  /** What an API token may do; `null` for webhook keys. */
  scope: Scope | null;
  /** UTC milliseconds. */
  expiresAt: number | null;
}

/** Makes a key. `secret` is the key itself: an API token is shown this once; a webhook key again in trigger URLs. */
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

/** A key that is not in the store yet. */
export function mintKey(
  cipher: KeyCipher,
  request: CreateKeyRequest & { ownerId: string | null },
  now: number,
): { secret: string; newKey: NewKey } {
  const { kind, name, endpoints, scope, expiresAt } = request;
  const secret = generateKey(kind);
  const ciphertext = kind === "webhook" ? cipher.seal(secret) : null;
  // Webhook keys are the senders': they stay when people go.
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
