import { parse } from "hono/utils/cookie";
import { personSessionCookie, readSignedToken } from "../../domain/requests/session-cookie.ts";
import type { Logger } from "../../ports/logger.ts";
import type { PeopleStore } from "../../ports/store/people-store.ts";
import type { Principal } from "../access/principal.ts";

const touchIntervalMs = 60_000;

type SignedIn = Extract<Principal, { kind: "person" }>;

/**
 * The person whose session cookie a request carries. Looked up for each request, so that an ended session loses access
 * immediately.
 */
export async function findSignedInPerson(
  deps: { store: Pick<PeopleStore, "findSession" | "touchSession">; sessionSecret: string; logger: Logger },
  headers: Headers,
  now: number,
): Promise<SignedIn | null> {
  const cookie = parse(headers.get("cookie") ?? "", personSessionCookie)[personSessionCookie];
  const token = cookie === undefined ? null : readSignedToken(cookie, deps.sessionSecret);
  const found = token === null ? null : await deps.store.findSession(token, now);
  if (!found) return null;
  const { session, person } = found;
  if (now - Date.parse(session.lastSeenAt) >= touchIntervalMs) {
    // Not awaited; a later request writes it again.
    deps.store
      .touchSession(session.id, now)
      .catch((error: unknown) => deps.logger.warn("could not store the last use of a session", { error }));
  }
  return {
    kind: "person",
    personId: person.id,
    name: person.name,
    email: person.email,
    role: person.role,
    sessionId: session.id,
  };
}

export function hasSessionCookie(headers: Headers): boolean {
  return parse(headers.get("cookie") ?? "", personSessionCookie)[personSessionCookie] !== undefined;
}
