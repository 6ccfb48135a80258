import { AppError } from "../contract/app-error.ts";
import { roleOfScope } from "../contract/person.ts";
import type { Scope } from "../contract/scope.ts";
import { type Principal, mayAccess } from "./principal.ts";

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
