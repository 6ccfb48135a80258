import { z } from "zod";
import { changePassword } from "../../auth/people/passwords.ts";
import { endSession, listSessions } from "../../auth/people/sessions.ts";
import { type Principal, scopeOf } from "../../auth/access/principal.ts";
import { AppError } from "../../contract/app-error.ts";
import { passwordSchema } from "../../contract/access/person.ts";
import { procedure, router } from "../trpc.ts";

/** The principal and its permissions. Unauthenticated clients get no access at all. */
export const accessProcedure = procedure("getAccess").query(({ ctx: { principal } }) => ({
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

/** The signed-in person's own account. */
export const accountRouter = router({
  /** The person's sessions. Empty for callers that are not people. */
  sessions: procedure("listOwnSessions").query(({ ctx }) =>
    ctx.principal.kind === "person" ? listSessions(ctx, ctx.principal.personId) : [],
  ),

  endSession: procedure("endOwnSession")
    .input(z.strictObject({ id: z.string() }))
    .mutation(({ ctx, input: { id } }) =>
      endSession(ctx, { id, personId: requirePerson(ctx.principal).personId }, ctx.auditContext),
    ),

  changePassword: procedure("changePassword")
    .input(z.strictObject({ current: z.string().max(128), next: passwordSchema }))
    .mutation(({ ctx, input }) => changePassword(ctx, { ...requirePerson(ctx.principal), ...input }, ctx.auditContext)),
});

function requirePerson(principal: Principal): Extract<Principal, { kind: "person" }> {
  if (principal.kind === "person") return principal;
  throw new AppError("forbidden", "This operation needs a person who is signed in with an account.");
}
