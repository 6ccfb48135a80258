import { createCipheriv, createDecipheriv, createHmac, randomFillSync } from "node:crypto";
import { AppError } from "../../contract/app-error.ts";
import type { Json } from "../../contract/json.ts";

/**
 * Encrypts the content of deliveries and runs with AES-256-GCM (NIST SP 800-38D). Each row has its own key, which is
 * the HMAC-SHA-256 of its id under a configured key. So a value decrypts only in its row, and random nonces
 * do not repeat under a key.
 */
export interface KeyRing {
  /** The ids of the keys. The first one encrypts. */
  ids: readonly string[];
  /** Whether values are encrypted. Otherwise they are only decrypted. */
  isOn: boolean;
  /** `row`: the public id of a delivery or a run. */
  ofRow(row: string): RowCipher;
  /**
   * Encrypts a SHA-256 in hexadecimal. Equal hashes have equal results, so that the store can compare them, but no one
   * can confirm a guess of the content. Other texts stay as they are. `keyId`: default the first key.
   */
  sealHash(hash: string, keyId?: string): string;
  /** Decrypts a hash that the key encrypted. */
  openHash(sealed: string, keyId: string): string;
}

/** Encrypts and decrypts the values of one row. Throws AppError `store_unusable` for a value that no key decrypts. */
export interface RowCipher {
  /** Encrypts JSON as a string, in which JSON has no escapes. `null` stays `null`. */
  sealJson(value: Json): Json;
  /** A value that is not encrypted stays as it is. */
  openJson(stored: Json): Json;
  sealText(text: string): string;
  openText(stored: string): string;
  /** The same for JSON as text. */
  openJsonText(stored: string): string;
  sealBytes(bytes: Uint8Array): Uint8Array;
  openBytes(stored: Uint8Array): Uint8Array;
  /** Equal names have equal results: rows are found by them. */
  sealName(name: string): string;
  /** The forms in which a store can have a name: by each key, and not encrypted. The current form is first. */
  nameForms(name: string): string[];
}

const mark = "encrypted:";
const idChars = 8;
const pattern = new RegExp(`^${mark}([0-9a-f]{${idChars}}):([A-Za-z0-9_-]+)$`);
/** JSON and text never begin with a zero byte. */
const byteMark = Buffer.from(`\0${mark}`);
const headBytes = byteMark.length + idChars + 1;
const nonceBytes = 12;
const tagBytes = 16;
const hashPattern = /^[0-9a-f]{64}$/;

/** Identifies a key without revealing it. */
export function contentKeyId(key: Uint8Array): string {
  return derive(key, "signalbox content key id v1").toString("hex").slice(0, idChars);
}

/** The id of the key that encrypted a string; `null`: it is not encrypted. */
export function sealedBy(stored: string): string | null {
  return stored.startsWith(mark) ? (pattern.exec(stored)?.[1] ?? null) : null;
}

/** `keys`: at least one, of 32 bytes. The first one encrypts, and all decrypt. */
export function createKeyRing({ keys, isOn }: { keys: readonly Uint8Array[]; isOn: boolean }): KeyRing {
  const byId = new Map(keys.map((key) => [contentKeyId(key), key]));
  const ids = [...byId.keys()];
  const [firstId = ""] = ids;
  const keyOf = (id: string) => {
    const key = byId.get(id);
    if (!key) throw missingKey(id, ids);
    return key;
  };
  const hashKeys = new Map([...byId].map(([id, key]) => [id, derive(key, "signalbox hashes v1")]));
  const hashKeyOf = (id: string) => hashKeys.get(id) ?? derive(keyOf(id), "signalbox hashes v1");

  return {
    ids,
    isOn,
    ofRow: (row) => createRowCipher({ row, ids, firstId, isOn, keyOf }),
    sealHash(hash, keyId = firstId) {
      if (!hashPattern.test(hash)) return hash;
      const cipher = createCipheriv("aes-256-ecb", hashKeyOf(keyId), null).setAutoPadding(false);
      return Buffer.concat([cipher.update(hash, "hex"), cipher.final()]).toString("hex");
    },
    openHash(sealed, keyId) {
      if (!hashPattern.test(sealed)) return sealed;
      const decipher = createDecipheriv("aes-256-ecb", hashKeyOf(keyId), null).setAutoPadding(false);
      return Buffer.concat([decipher.update(sealed, "hex"), decipher.final()]).toString("hex");
    },
  };
}

interface RowKeys {
  row: string;
  ids: readonly string[];
  firstId: string;
  isOn: boolean;
  keyOf: (id: string) => Uint8Array;
}

function createRowCipher({ row, ids, firstId, isOn, keyOf }: RowKeys): RowCipher {
  const derived = new Map<string, Buffer>();
  const rowKey = (id: string): Buffer => {
    const key = derived.get(id) ?? derive(keyOf(id), `signalbox row v1 ${row}`);
    derived.set(id, key);
    return key;
  };
  const seal = (text: string, { id = firstId, nonce = newNonce() } = {}) =>
    `${mark}${id}:${encrypt(rowKey(id), nonce, Buffer.from(text)).toString("base64url")}`;
  const open = (stored: string): string | null => {
    const [, id, sealed] = stored.startsWith(mark) ? (pattern.exec(stored) ?? []) : [];
    if (id === undefined || sealed === undefined) return null;
    return decrypt(rowKey(id), Buffer.from(sealed, "base64url"), row).toString();
  };
  // A value that looks encrypted is encrypted in any case. So no sender can make one that does not decrypt.
  const isToSeal = (value: Json) => isOn || (typeof value === "string" && sealedBy(value) !== null);
  const sealNameBy = (name: string, id: string) => {
    const nonce = derive(rowKey(id), `signalbox name v1 ${name}`).subarray(0, nonceBytes);
    return seal(JSON.stringify(name), { id, nonce });
  };
  const openJson = (stored: Json): Json => {
    const text = typeof stored === "string" ? open(stored) : null;
    return text === null ? stored : (JSON.parse(text) as Json);
  };
  return {
    sealJson: (value) => (value !== null && isToSeal(value) ? seal(JSON.stringify(value)) : value),
    openJson,
    sealText: (text) => (isToSeal(text) ? seal(JSON.stringify(text)) : text),
    openText: (stored) => String(openJson(stored)),
    openJsonText: (stored) => (stored.startsWith(`"${mark}`) ? (open(stored.slice(1, -1)) ?? stored) : stored),
    sealBytes(bytes) {
      if (!isOn && !startsWith(bytes, byteMark)) return bytes;
      return Buffer.concat([byteMark, Buffer.from(`${firstId}:`), encrypt(rowKey(firstId), newNonce(), bytes)]);
    },
    openBytes(stored) {
      if (!startsWith(stored, byteMark)) return stored;
      const id = Buffer.from(stored.subarray(byteMark.length, headBytes - 1)).toString("latin1");
      return decrypt(rowKey(id), stored.subarray(headBytes), row);
    },
    sealName: (name) => (isToSeal(name) ? sealNameBy(name, firstId) : name),
    nameForms(name) {
      const sealed = ids.map((id) => sealNameBy(name, id));
      return isToSeal(name) ? [...sealed, name] : [name, ...sealed];
    },
  };
}

function encrypt(key: Buffer, nonce: Buffer, bytes: Uint8Array): Buffer {
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, sealed: Uint8Array, row: string): Buffer {
  try {
    const end = sealed.length - tagBytes;
    const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
    decipher.setAuthTag(sealed.subarray(end));
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, end)), decipher.final()]);
  } catch (error) {
    throw new AppError(
      "store_unusable",
      `A value of ${row} cannot be decrypted: it was changed in the database, or copied from another row.`,
      { fix: "Restore the row from a backup, or remove it.", cause: error },
    );
  }
}

/** The content needs a key that is not configured: AppError `store_unusable`. */
export function missingKey(id: string, configured: readonly string[]): AppError {
  const given = configured.length === 0 ? "no key is configured" : `only ${configured.join(", ")} is configured`;
  return new AppError(
    "store_unusable",
    `The store has content that the key ${id} encrypted, but ${given}. Add it to SIGNALBOX_ENCRYPTION_KEYS.`,
    {
      fix: "Without the key, the content cannot be read. See docs/sensitive-data.md.",
    },
  );
}

const pool = Buffer.alloc(nonceBytes * 512);
let used = pool.length;

/** Random bytes are fetched for many nonces at once, because each call costs as much as an encryption. */
function newNonce(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += nonceBytes;
  return Buffer.from(pool.subarray(used - nonceBytes, used));
}

function derive(key: Uint8Array, label: string): Buffer {
  return createHmac("sha256", key).update(label).digest();
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return bytes.length >= start.length && start.every((byte, at) => bytes[at] === byte);
}
