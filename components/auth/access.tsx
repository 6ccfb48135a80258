"use client";

import { type ReactNode, createContext, useContext } from "react";
import type { Role } from "../../server/contract/person.ts";
import { type Scope, holdsScope } from "../../server/contract/scope.ts";

/** Who looks at the page, and what they may do. */
export interface PageAccess {
  scope: Scope;
  /** `null`: on this machine in development, or signed in with an API token. */
  person: { id: string; sessionId: string; name: string; email: string; role: Role } | null;
}

const AccessContext = createContext<PageAccess | null>(null);

export function AccessProvider({ access, children }: { access: PageAccess | null; children: ReactNode }) {
  return <AccessContext value={access}>{children}</AccessContext>;
}

export const useAccess = (): PageAccess | null => useContext(AccessContext);

/** Whether who looks may do something. The server decides once more; this is for what is offered. */
export function useMay(scope: Scope): boolean {
  const access = useAccess();
  return access !== null && holdsScope(access.scope, scope);
}

/** Why a button is not for them, as its hint; `undefined` where it is. */
export function useWhyNot(scope: "operate" | "admin"): string | undefined {
  return useMay(scope) ? undefined : whyNot[scope];
}

const whyNot = { operate: "Your role only looks: this needs operator", admin: "This needs admin" };
