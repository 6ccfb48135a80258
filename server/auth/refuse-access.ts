import { AppError } from "../contract/app-error.ts";
import { roleOfScope } from "../contract/person.ts";
import type { Scope } from "../contract/scope.ts";
import { type Principal, mayAccess } from "./principal.ts";

/** Throws AppError `forbidden`, in words for who asked, where they lack a scope. */
export function refuseAccess(principal: Principal, needed: Scope | "machine"): void {
  if (!mayAccess(principal, needed)) throw new AppError("forbidden", describeRefusal(principal, needed));
}

function describeRefusal(principal: Principal, needed: Scope | "machine"): string {
  if (needed === "machine") return "This is done on the machine itself: signalbox people setup-link";
  if (principal.kind === "token" && principal.cappedTo !== null)
    return `Whoever made this API token is ${principal.cappedTo} now, and it may do no more than they may; this needs ${needed}.`;
  if (principal.kind === "token")
    return `This API token has the scope ${principal.scope}; this needs ${needed}: signalbox keys create --api --scope ${needed}`;
  if (principal.kind === "person")
    return `Your role is ${principal.role}; this needs ${roleOfScope[needed]}. An admin can give you another role.`;
  return "A webhook key reads the runs that it started, and nothing more. Use an API token: signalbox keys create --api";
}
