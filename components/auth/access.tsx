"use client";

import { type ReactNode, createContext, useContext } from "react";
import type { Role } from "../../server/contract/access/person.ts";
import { type Scope, includesScope } from "../../server/contract/access/scope.ts";

/** The current user of the page and their permissions. */
export interface PageAccess {
  scope: Scope;
  /** `null`: development on this machine, or signed in with an API token. */
  person: { id: string; sessionId: string; name: string; email: string; role: Role } | null;
}

const AccessContext = createContext<PageAccess | null>(null);

export function AccessProvider({ access, children }: { access: PageAccess | null; children: ReactNode }) {
  return <AccessContext value={access}>{children}</AccessContext>;
}

export const useAccess = (): PageAccess | null => useContext(AccessContext);

/** Whether the current user has a scope. Only for the UI: the server checks it again. */
export function useMay(scope: Scope): boolean {
  const access = useAccess();
  return access !== null && includesScope(access.scope, scope);
}

/** Why an action is disabled for the current user; `undefined`: it is allowed. */
export function useDisabledReason(scope: "operate" | "admin"): string | undefined {
  return useMay(scope) ? undefined : disabledReasons[scope];
}

const disabledReasons = { operate: "Requires the operator role", admin: "Requires the admin role" };
