import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Mode } from "../../config.ts";
import type { Key, KeyKind } from "../../contract/access/key.ts";
import type { DisabledTriggers } from "../../contract/disabled.ts";
import { commonEndpoints, isForEndpoint, isUsableKey } from "../../shared/access/keys.ts";
import { claimsToBeKey } from "../../domain/privacy/redaction.ts";
import { oncePerTurn } from "../../domain/event-loop.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Logger, silentLogger } from "../../ports/logger.ts";
import type { KeyStore } from "../../ports/store/key-store.ts";

/**
 * Checks whether these keys may send to this endpoint. `keyId` is the first of them; `null` if none is needed.
 * `endpoints`: all that they may send to; `null`: every endpoint. `disabled`: the disabled triggers, if the store read
 * them with the key.
 */
type WebhookAuthenticator = (
  presented: readonly string[],
  endpoint: string,
) => Promise<
  | { ok: true; keyId: string | null; endpoints: readonly string[] | null; disabled: DisabledTriggers | null }
  | { ok: false; isNewStore?: boolean }
>;

/**
 * Authenticates the senders of webhooks. Development is open to local requests; `mode` is `deployed` for all others. A
 * deployed service needs at least one key, and each of its keys that was sent must be valid for the endpoint. A key of
 * another endpoint gets the same response as an unknown key. Credentials of other services are ignored. `hasUsedKeys`:
 * whether a webhook key was ever used; if not, the store may have replaced the one that knew the keys of senders.
 * Default: yes.
 */
export function createWebhookAuthenticator(deps: {
  store: Pick<KeyStore, "findKeyByHash" | "findKeyWithDisabled" | "touchKey">;
  mode: Mode;
  clock: Clock;
  logger?: Logger;
  hasUsedKeys?: (() => Promise<boolean>) | undefined;
}): WebhookAuthenticator {
  // Senders usually send the same key, and many requests arrive in one turn of the event loop.
  const { store, clock } = deps;
  const look = store.findKeyWithDisabled ?? (async (hash: string) => toFound(await store.findKeyByHash(hash)));
  const find = oncePerTurn((text) => findUsable(look, text, clock.now()));
  const recordUse = createKeyUsageRecorder({ ...deps, logger: deps.logger ?? silentLogger });
  // It stays so: keys are never removed.
  let isUsed = deps.hasUsedKeys === undefined;
  const readIsUsed = oncePerTurn(async () => (isUsed ||= (await deps.hasUsedKeys?.()) === true));
  const deny = async (): ReturnType<WebhookAuthenticator> =>
    isUsed || (await readIsUsed("all")) ? { ok: false } : { ok: false, isNewStore: true };
  const use = (key: Key) => {
    isUsed = true;
    recordUse(key);
  };
  return async (presented, endpoint) => {
    if (deps.mode === "development") return { ok: true, keyId: null, endpoints: null, disabled: null };
    const keys = keysToCheck(presented);
    const [first] = keys;
    if (first === undefined) return { ok: false };
    if (keys.length > 1) return authenticateAll(keys, endpoint);
    const found = await find(first);
    if (!found || !isForEndpoint(found.key, endpoint)) return deny();
    const { key, disabled } = found;
    use(key);
    return { ok: true, keyId: key.id, endpoints: key.endpoints, disabled };
  };

  async function authenticateAll(distinct: readonly string[], endpoint: string): ReturnType<WebhookAuthenticator> {
    const found = await Promise.all(distinct.map(find));
    const valid = found.flatMap((one) => (one && isForEndpoint(one.key, endpoint) ? [one.key] : []));
    const [first] = valid;
    if (!first || valid.length < distinct.length) return deny();
    valid.forEach(use);
    return { ok: true, keyId: first.id, endpoints: commonEndpoints(valid), disabled: null };
  }
}

/** A key can be sent in five forms. A request with many more keys is no mistake, and must not cause as many look-ups. */
const maxKeys = 8;

/**
 * The sent credentials that decide whether a request is authenticated: the distinct ones that claim to be keys of this
 * service. All of them must be valid. The others belong to the sender (an ID token in `Authorization: Bearer`, its own
 * `?token=`) or to a proxy, and decide nothing. Empty if none of them can be valid: none is a key, or too many are.
 */
export function keysToCheck(presented: readonly string[]): readonly string[] {
  const own = new Set(presented.filter(claimsToBeKey));
  return own.size > maxKeys ? [] : [...own];
}

/** Finds a presented key. `null`: malformed, unknown, expired or revoked; callers do not learn which. */
export async function findUsableKey(
  deps: { store: Pick<KeyStore, "findKeyByHash"> },
  presented: string,
  now: number,
): Promise<Key | null> {
  const find = async (hash: string) => toFound(await deps.store.findKeyByHash(hash));
  return (await findUsable(find, presented, now))?.key ?? null;
}

interface FoundKey {
  key: Key;
  /** The disabled triggers; `null` if they were not read with the key. */
  disabled: DisabledTriggers | null;
}

const toFound = (key: Key | null): FoundKey | null => key && { key, disabled: null };

async function findUsable(
  find: (hash: string) => Promise<FoundKey | null>,
  presented: string,
  now: number,
): Promise<FoundKey | null> {
  if (!isWellFormedKey(presented)) return null;
  // Looked up for each request, so that a revoked key is rejected immediately.
  const found = await find(hashKey(presented));
  return found && isUsableKey(found.key, now) ? found : null;
}

const touchIntervalMs = 60_000;

/** Records the use of a key, at most once a minute for each key, without delaying the request. */
export function createKeyUsageRecorder(deps: {
  store: Pick<KeyStore, "touchKey">;
  clock: Clock;
  logger: Logger;
}): (key: Key) => void {
  const recordedAt = new Map<string, number>();
  return (key) => {
    const now = deps.clock.now();
    const last = recordedAt.get(key.id) ?? (key.lastUsedAt === null ? -Infinity : Date.parse(key.lastUsedAt));
    if (now - last < touchIntervalMs) return;
    recordedAt.set(key.id, now);
    deps.store.touchKey(key.id, now).catch((error: unknown) => {
      // Not awaited; the next use after a minute writes it again.
      deps.logger.warn("could not store the last use of a key", { keyId: key.id, error });
    });
  };
}

/**
 * A key is `sbk_` (webhook) or `sbt_` (API token), 33 random base62 characters (196 bits), and six characters of CRC-32
 * of everything before. The fixed prefixes and the checksum let secret scanners find leaked keys without false alarms,
 * and let the service reject malformed keys without a look-up in the store. The checksum is no protection: the
 * randomness is.
 */
const prefixes: Record<KeyKind, string> = { webhook: "sbk_", api: "sbt_" };
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomLength = 33;
const keyPattern = /^(sb[kt]_[0-9A-Za-z]{33})([0-9A-Za-z]{6})$/;

/** A new key, never made before. */
export function generateKey(kind: KeyKind): string {
  const head = prefixes[kind] + randomDigits(randomLength);
  return head + checksum(head);
}

/** Whether the text has the form of a key, checksum included. Says nothing about whether it was ever issued. */
export function isWellFormedKey(text: string): boolean {
  const [, head, sum] = keyPattern.exec(text) ?? [];
  return head !== undefined && checksum(head) === sum;
}

/** What the store looks keys up by. */
export function hashKey(key: string): string {
  return hash("sha256", key);
}

/** The first characters, enough for a person to recognize a key. */
export function keyHint(key: string): string {
  return `${key.slice(0, 8)}…`;
}

function randomDigits(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 in a byte: past it, some digits would come more often than others.
      if (byte < 248 && text.length < length) text += digits[byte % 62];
    }
  }
  return text;
}

function checksum(head: string): string {
  let rest = crc32(head);
  let text = "";
  for (let place = 0; place < 6; place++) {
    text = digits[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
