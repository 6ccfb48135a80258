import { scopeOf } from "../../auth/principal.ts";
import { procedure } from "../trpc.ts";

/** Who asks, and what they may do. Whoever is refused here may see nothing. */
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
