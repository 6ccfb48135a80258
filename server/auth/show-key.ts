import { AppError } from "../contract/app-error.ts";
import type { Clock } from "../ports/clock.ts";
import type { AuditStore } from "../ports/people-store.ts";
import type { KeyStore } from "../ports/store.ts";
import { type AuditContext, auditOf } from "./doer.ts";
import type { KeyCipher } from "./key-cipher.ts";

/** A webhook key as it must be sent. Written down before it is shown. Throws AppError `not_found`. */
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
  await noteKeyShown(deps, { keyId: id, endpoint: null }, auditContext);
  return secret;
}

/** For wherever a key is shown as a part of something else. */
export async function noteKeyShown(
  deps: { store: Pick<AuditStore, "recordAudit">; clock: Clock },
  p: { keyId: string; endpoint: string | null },
  auditContext: AuditContext,
): Promise<void> {
  await deps.store.recordAudit(
    auditOf(auditContext, {
      action: "key.shown",
      subject: p.keyId,
      detail: p.endpoint === null ? null : { endpoint: p.endpoint },
      now: deps.clock.now(),
    }),
  );
}
