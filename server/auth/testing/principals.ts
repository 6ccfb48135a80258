import type { Principal } from "../access/principal.ts";
import { roleSchema } from "../../contract/access/person.ts";
import { type Scope, scopes } from "../../contract/access/scope.ts";

/** One of each kind that a deployed service knows, with the scope that it shall have. */
export const everyPrincipal: { name: string; principal: Principal; scope: Scope | null }[] = [
  { name: "a webhook key", principal: { kind: "webhook", keyId: "key_w" }, scope: null },
  ...scopes.map((scope) => ({
    name: `a token to ${scope}`,
    principal: { kind: "token", keyId: `key_${scope}`, name: scope, scope, ownerId: null, cappedTo: null } as const,
    scope,
  })),
  ...roleSchema.options.map((role) => ({
    name: `a person, ${role}`,
    principal: {
      kind: "person",
      personId: `per_${role}`,
      name: role,
      email: `${role}@example.com`,
      role,
      sessionId: `ses_${role}`,
    } as const,
    scope: ({ viewer: "read", operator: "operate", admin: "admin" } as const)[role],
  })),
];

/** Written out a second time, so that a change of the order is noticed. */
export function shallReach(held: Scope | null, needed: Scope): boolean {
  if (held === null) return false;
  return {
    feed: ["feed", "read", "operate", "admin"],
    read: ["read", "operate", "admin"],
    operate: ["operate", "admin"],
    admin: ["admin"],
  }[needed].includes(held);
}
