import type { Mode } from "../../config.ts";
import { AppError } from "../../contract/app-error.ts";
import type { Key } from "../../contract/access/key.ts";
import { limitScope } from "../../shared/access/keys.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Logger, silentLogger } from "../../ports/logger.ts";
import type { PeopleStore } from "../../ports/store/people-store.ts";
import type { KeyStore } from "../../ports/store/key-store.ts";
import { createKeyUsageRecorder, findUsableKey } from "../keys/check-key.ts";
import { hasSessionCookie, findSignedInPerson } from "./person-session.ts";
import type { ApiAuthenticator, Principal } from "../access/principal.ts";
import { keysIn } from "./credentials.ts";
import { rejectCrossSite, rejectForeignOrigin } from "./cross-site.ts";
import { readSessionToken } from "./token-session.ts";

/**
 * Development is open to local requests; `mode` is `deployed` for all others. A deployed service needs a key in
 * `Authorization: Bearer` or `x-api-key` (RFC 6750); if both are sent, each must be valid. Keys in the query are only
 * for webhook senders: API URLs end up in histories and logs. A signed-in browser sends the cookie of its session, or
 * the API token that it signed in with.
 */
export function createApiAuthenticator(deps: {
  store: Pick<KeyStore, "findKeyByHash" | "touchKey"> & Pick<PeopleStore, "findSession" | "touchSession" | "findRole">;
  /** Signs the cookies of people. */
  sessionSecret: string;
  mode: Mode;
  clock: Clock;
  logger?: Logger;
  /** Public URL of this service: pages under its host are ours. */
  baseUrl?: string | null;
}): ApiAuthenticator {
  const logger = deps.logger ?? silentLogger;
  const recordUse = createKeyUsageRecorder({ ...deps, logger });
  const ownHost = deps.baseUrl ? new URL(deps.baseUrl).host : null;
  return async (request) => {
    if (deps.mode === "development") {
      rejectCrossSite(request);
      return { kind: "local" };
    }
    const now = deps.clock.now();
    if (keysIn((name) => request.headers.get(name)).length === 0 && hasSessionCookie(request.headers)) {
      rejectForeignOrigin(request, ownHost);
      const person = await findSignedInPerson({ ...deps, logger }, request.headers, now);
      if (person) return person;
    }
    const keys = await Promise.all(presentedKeys(request, ownHost).map((text) => findUsableKey(deps, text, now)));
    const usable = keys.filter((key) => key !== null);
    const [first] = usable;
    if (!first || usable.length < keys.length) throw unauthorized();
    const principal = await toPrincipal(deps.store, usable.find((key) => key.kind === "api") ?? first);
    if (!principal) throw unauthorized();
    usable.forEach(recordUse);
    return principal;
  };
}

/** The same for every cause: a caller without a valid key does not learn why it is invalid. */
function unauthorized(): AppError {
  return new AppError(
    "unauthorized",
    "Send a valid key as Authorization: Bearer or x-api-key. `signalbox keys create --api --scope read` creates one.",
  );
}

/** The session cookie counts only if no key is sent: browsers always send it, programs choose their key. */
function presentedKeys(request: Request, ownHost: string | null): string[] {
  const keys = keysIn((name) => request.headers.get(name));
  const session = keys.length === 0 ? readSessionToken(request.headers) : null;
  if (session === null) return keys;
  rejectForeignOrigin(request, ownHost);
  return [session];
}

/**
 * A token never exceeds the current role of its owner. Read each time, because roles change. `null`: the owner was
 * removed, or the token has no scope.
 */
async function toPrincipal(store: Pick<PeopleStore, "findRole">, key: Key): Promise<Principal | null> {
  if (key.kind !== "api") return { kind: "webhook", keyId: key.id };
  const { id: keyId, name, ownerId, scope: granted } = key;
  if (granted === null) return null;
  if (ownerId === null) return { kind: "token", keyId, name, scope: granted, ownerId, cappedTo: null };
  const role = await store.findRole(ownerId);
  if (role === null) return null;
  const scope = limitScope(granted, role);
  return { kind: "token", keyId, name, scope, ownerId, cappedTo: scope === granted ? null : role };
}
