import { z } from "zod";
import { changePassword } from "../../auth/change-password.ts";
import { auditOf } from "../../auth/doer.ts";
import type { Principal } from "../../auth/principal.ts";
import { AppError } from "../../contract/app-error.ts";
import { passwordSchema } from "../../contract/person.ts";
import { procedure } from "../trpc.ts";

/** Where one is signed in oneself; nowhere, where one is no person. */
export const accountSessions = procedure.query(({ ctx: { principal, store, clock } }) =>
  principal.kind === "person" ? store.listSessions(principal.personId, clock.now()) : [],
);

export const accountEndSession = procedure
  .input(z.strictObject({ id: z.string() }))
  .mutation(async ({ ctx, input: { id } }) => {
    const audit = auditOf(ctx.auditContext, { action: "session.ended", subject: id, now: ctx.clock.now() });
    const isEnded = await ctx.store.endSession({ id, personId: self(ctx.principal).personId, audit });
    if (!isEnded) throw new AppError("not_found", "This session has already ended.");
  });

export const accountChangePassword = procedure
  .input(z.strictObject({ current: z.string().max(128), next: passwordSchema }))
  .mutation(({ ctx, input }) => changePassword(ctx, { ...self(ctx.principal), ...input }, ctx.auditContext));

function self(principal: Principal): Extract<Principal, { kind: "person" }> {
  if (principal.kind === "person") return principal;
  throw new AppError("forbidden", "This operation needs a person who is signed in with an account.");
}
