import { AppError } from "../../contract/app-error.ts";
import { type Role, roleOfScope, scopeOfRole } from "../../contract/access/person.ts";
import { includesScope } from "../../contract/access/scope.ts";
import { type Scope } from "../../contract/access/scope.ts";
import type { Access } from "./operations.ts";

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

/** Authenticates a request to /api or /metrics. Throws AppError `unauthorized` or `forbidden`. */
export type ApiAuthenticator = (request: Request) => Promise<Principal>;

/** `null`: no scope at all. */
export function scopeOf(principal: Principal): Scope | null {
  if (principal.kind === "local") return "admin";
  if (principal.kind === "person") return scopeOfRole[principal.role];
  return principal.kind === "token" ? principal.scope : null;
}

/** Throws AppError `forbidden`. Its text explains what this principal lacks. */
export function requireAccess(principal: Principal, access: Access): void {
  if (access === "open") return;
  const scope = scopeOf(principal);
  const isAllowed = access === "machine" ? principal.kind === "local" : scope !== null && includesScope(scope, access);
  if (!isAllowed) throw new AppError("forbidden", describeMissingAccess(principal, access));
}

function describeMissingAccess(principal: Principal, access: Scope | "machine"): string {
  if (access === "machine")
    return "This operation is only available on the machine itself: signalbox people setup-link";
  if (principal.kind === "token" && principal.cappedTo !== null)
    return `The creator of this API token now has the role ${principal.cappedTo}, which also limits the token. This operation needs ${access}.`;
  if (principal.kind === "token")
    return `This API token has the scope ${principal.scope}, but this operation needs ${access}: signalbox keys create --api --scope ${access}`;
  if (principal.kind === "person")
    return `Your role is ${principal.role}, but this operation needs ${roleOfScope[access]}. An admin can change your role.`;
  return "A webhook key can only read the runs that it started. Use an API token: signalbox keys create --api --scope read";
}

/** Identifies the principal for limits: a person with all sessions, or a key. */
export function ownerOf(principal: Principal): string {
  if (principal.kind === "local") return "local";
  return principal.kind === "person" ? principal.personId : principal.keyId;
}

/** The key to whose runs the principal is limited; `undefined`: all runs. */
export function visibleToKey(principal: Principal): string | undefined {
  return principal.kind === "webhook" ? principal.keyId : undefined;
}

/** The origin of a request, as far as the HTTP server trusts it. */
export interface Client {
  /** Network address; `null`: not known, or this very process. */
  address: string | null;
  /** Whether the request used TLS, if only to a trusted proxy. */
  isSecure: boolean;
  /**
   * Why the request was not made on this machine (`findRemoteReason`); `null`: it was. Development is open to such
   * requests alone.
   */
  remoteReason: string | null;
  /** The name of this request in the log and in its response (`Signalbox-Request`). */
  requestId?: string;
}

export const unknownClient: Client = {
  address: null,
  isSecure: false,
  remoteReason: "the origin of this one is not known",
};
