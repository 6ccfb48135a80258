import { scopeOf } from "../../auth/principal.ts";
import { procedure } from "../trpc.ts";

/** The principal and its permissions. Unauthenticated clients get no access at all. */
export const access = procedure.query(({ ctx: { principal } }) => ({
  scope: scopeOf(principal) ?? "read",
  person:
    principal.kind === "person"
      ? {
          id: principal.personId,
          sessionId: principal.sessionId,
          name: principal.name,
          email: principal.email,
          role: principal.role,
        }
      : null,
}));
