import { AppError } from "../../contract/app-error.ts";
import { type Role, roleOfScope, scopeOfRole } from "../../contract/access/person.ts";
import { includesScope, type Scope } from "../../contract/access/scope.ts";
import type { Access } from "./access-table.ts";

/** The origin of a request, as far as the HTTP server trusts it. */
export interface Client {
  /** Network address; `null`: not known, or this very process. */
  address: string | null;
  /** Whether it came by TLS, if only to a proxy that is trusted. */
  isSecure: boolean;
  /**
   * Whether the request was made on this machine (`isLocalRequest`). Development is open to such requests alone.
   * Default: false.
   */
  isLocal?: boolean;
  /** By which the log and the answer (`Signalbox-Request`) name this request. */
  requestId?: string;
}

export const unknownClient: Client = { address: null, isSecure: false };

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

function mayAccess(principal: Principal, access: Access): boolean {
  if (access === "open" || access === "own-runs") return true;
  if (access === "machine") return principal.kind === "local";
  const held = scopeOf(principal);
  return held !== null && includesScope(held, access);
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

/** Throws AppError `forbidden`, in words for who asked, where they lack a scope. */
export function requireAccess(principal: Principal, needed: Scope | "machine"): void {
  if (!mayAccess(principal, needed)) throw new AppError("forbidden", describeRefusal(principal, needed));
}

function describeRefusal(principal: Principal, needed: Scope | "machine"): string {
  if (needed === "machine")
    return "This operation is only available on the machine itself: signalbox people setup-link";
  if (principal.kind === "token" && principal.cappedTo !== null)
    return `The creator of this API token now has the role ${principal.cappedTo}, which also limits the token. This operation needs ${needed}.`;
  if (principal.kind === "token")
    return `This API token has the scope ${principal.scope}, but this operation needs ${needed}: signalbox keys create --api --scope ${needed}`;
  if (principal.kind === "person")
    return `Your role is ${principal.role}, but this operation needs ${roleOfScope[needed]}. An admin can change your role.`;
  return "A webhook key can only read the runs that it started. Use an API token: signalbox keys create --api";
}
