import { type Role, scopeOfRole } from "../contract/person.ts";
import { type Scope, holdsScope } from "../contract/scope.ts";
import type { Access } from "./access-table.ts";

/**
 * The authenticated client. `local`: a client on this machine in development, or the command line in this process: may
 * do everything. `person`: a signed-in person. `token`: an API token; `ownerId`: its owner, `cappedTo`: the role of the
 * owner if it allows less than the token. `webhook`: a webhook key, which can read the runs that it started.
 */
export type Principal =
  | { kind: "local" }
  | { kind: "person"; personId: string; name: string; email: string; role: Role; sessionId: string }
  | { kind: "token"; keyId: string; name: string; scope: Scope; ownerId: string | null; cappedTo: Role | null }
  | { kind: "webhook"; keyId: string };

/** Says who sent a request to /api or /metrics. Throws AppError `unauthorized` or `forbidden`. */
export type ApiAuthenticator = (request: Request) => Promise<Principal>;

/** `null`: none at all. */
export function scopeOf(principal: Principal): Scope | null {
  if (principal.kind === "local") return "admin";
  if (principal.kind === "person") return scopeOfRole[principal.role];
  return principal.kind === "token" ? principal.scope : null;
}

export function mayAccess(principal: Principal, access: Access): boolean {
  if (access === "open" || access === "own-runs") return true;
  if (access === "machine") return principal.kind === "local";
  const held = scopeOf(principal);
  return held !== null && holdsScope(held, access);
}

/** Names who asks, for limits: a person with all sessions, or a key. */
export function ownerOf(principal: Principal): string {
  if (principal.kind === "local") return "local";
  return principal.kind === "person" ? principal.personId : principal.keyId;
}

/** The key whose runs alone may be seen; `undefined`: all runs. */
export function visibleToKey(principal: Principal): string | undefined {
  return principal.kind === "webhook" ? principal.keyId : undefined;
}
