import type { KeyKind, Key } from "../../contract/access/key.ts";
import type { DisabledTriggers } from "../../contract/disabled.ts";
import type { Scope } from "../../contract/access/scope.ts";
import type { NewAuditEntry } from "./people-store.ts";

export interface NewKey {
  id: string;
  kind: KeyKind;
  name: string;
  hint: string;
  /** SHA-256 of the key, hex. */
  hash: string;
  /** The encrypted key; only for keys that can be shown again. */
  ciphertext: string | null;
  endpoints: string[] | null;
  /** Of API tokens. */
  scope: Scope | null;
  /** Of API tokens: the owner. */
  ownerId: string | null;
  createdAt: number;
  expiresAt: number | null;
}

export interface KeyStore {
  /** `audit` is written in the same transaction. */
  createKey(key: NewKey, audit?: NewAuditEntry): Promise<Key>;
  listKeys(): Promise<Key[]>;
  /** Whether a webhook key was ever used. */
  hasUsedKeys(): Promise<boolean>;
  /** In any state: the caller checks expiry and revocation. */
  findKeyByHash(hash: string): Promise<Key | null>;
  /**
   * The same for webhooks, which need the disabled triggers as well: both in one answer. Absent where a read does not
   * wait for another process.
   */
  findKeyWithDisabled?(hash: string): Promise<{ key: Key; disabled: DisabledTriggers } | null>;
  /** Keys that can be shown again, newest first, with their ciphertext. */
  listKeyCiphertexts(kind: KeyKind): Promise<{ key: Key; ciphertext: string }[]>;
  /** Returns `false` if there is no such key. A second revocation keeps the first time. */
  revokeKey(id: string, now: number, audit?: NewAuditEntry): Promise<boolean>;
  /**
   * Creates `next` to replace a key, which then expires at `endsAt`, or at its own expiry if that is earlier. `taken`:
   * the key is revoked, expired by `now`, or already replaced; nothing was written. Of two concurrent calls, only one
   * creates a key.
   */
  rotateKey(p: {
    id: string;
    next: NewKey;
    endsAt: number;
    now: number;
    audit?: readonly NewAuditEntry[];
  }): Promise<{ kind: "rotated"; old: Key; next: Key } | { kind: "taken"; old: Key } | { kind: "missing" }>;
  touchKey(id: string, now: number): Promise<void>;
}
