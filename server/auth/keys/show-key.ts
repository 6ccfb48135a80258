import { AppError } from "../../contract/app-error.ts";
import { isForEndpoint, isUsableKey } from "../../shared/access/keys.ts";
import type { Clock } from "../../ports/clock.ts";
import type { AuditStore } from "../../ports/store/people-store.ts";
import type { KeyStore } from "../../ports/store/key-store.ts";
import { type AuditContext, auditOf } from "../access/audit-context.ts";
import type { KeyCipher } from "./service-secret.ts";

/** A webhook key in plain text. Writes the audit entry first. Throws AppError `not_found`. */
export async function showKey(
  deps: {
    store: Pick<KeyStore, "listKeyCiphertexts"> & Pick<AuditStore, "recordAudit">;
    cipher: KeyCipher;
    clock: Clock;
  },
  id: string,
  auditContext: AuditContext,
): Promise<string> {
  const stored = (await deps.store.listKeyCiphertexts("webhook")).find(({ key }) => key.id === id);
  const secret = stored ? deps.cipher.open(stored.ciphertext) : null;
  if (secret === null)
    throw new AppError(
      "not_found",
      stored
        ? "This key was encrypted with another SIGNALBOX_SECRET. It still works, but cannot be shown."
        : `There is no webhook key ${id}.`,
    );
  await recordKeyShown(deps, { keyId: id, endpoint: null }, auditContext);
  return secret;
}

/** For keys that are shown inside something else, such as a URL. */
export async function recordKeyShown(
  deps: { store: Pick<AuditStore, "recordAudit">; clock: Clock },
  { keyId, endpoint }: { keyId: string; endpoint: string | null },
  auditContext: AuditContext,
): Promise<void> {
  await deps.store.recordAudit(
    auditOf(auditContext, {
      action: "key.shown",
      subject: keyId,
      detail: endpoint === null ? null : { endpoint },
      now: deps.clock.now(),
    }),
  );
}

/** `sealed`: the endpoint has keys, but this service's secret decrypts none of them. */
type ShowableKey = { found: true; keyId: string; secret: string } | { found: false; sealed: boolean };

/** The newest usable webhook key for an endpoint, in plain text. */
export async function findShowableKey(
  deps: { store: Pick<KeyStore, "listKeyCiphertexts">; cipher: KeyCipher; clock: Clock },
  endpoint: string,
): Promise<ShowableKey> {
  const now = deps.clock.now();
  const stored = await deps.store.listKeyCiphertexts("webhook");
  const candidates = stored.filter(({ key }) => isUsableKey(key, now) && isForEndpoint(key, endpoint));
  for (const { key, ciphertext } of candidates) {
    const secret = deps.cipher.open(ciphertext);
    if (secret !== null) return { found: true, keyId: key.id, secret };
  }
  return { found: false, sealed: candidates.length > 0 };
}
