import { z } from "zod";
import { changeRole, removePerson } from "../../auth/people/change-person.ts";
import { createInvitation } from "../../auth/people/invitations.ts";
import { createResetLink } from "../../auth/people/passwords.ts";
import { endSession, listSessions } from "../../auth/people/sessions.ts";
import { describeAudit } from "../../auth/access/describe-audit.ts";
import { auditOf } from "../../auth/access/audit-context.ts";
import { AppError } from "../../contract/app-error.ts";
import { auditActionSchema } from "../../contract/access/audit.ts";
import { timestampMs, timestampSchema } from "../../contract/list.ts";
import { roleSchema } from "../../contract/access/person.ts";
import { dropUndefined } from "../../domain/drop-undefined.ts";
import { procedure, router } from "../trpc.ts";
import { paging, toPage } from "./input-schemas.ts";

const byId = z.strictObject({ id: z.string() });

export const peopleRouter = router({
  list: procedure("listPeople").query(({ ctx }) => ctx.store.listPeople(ctx.clock.now())),

  changeRole: procedure("changeRole")
    .input(z.strictObject({ id: z.string(), role: roleSchema }))
    .mutation(({ ctx, input }) => changeRole(ctx, input, ctx.auditContext)),

  remove: procedure("removePerson")
    .input(byId)
    .mutation(({ ctx, input }) => removePerson(ctx, input.id, ctx.auditContext)),

  /** The link is only in this response. */
  makeResetLink: procedure("createResetLink")
    .input(byId)
    .mutation(({ ctx, input }) => createResetLink(ctx, input.id, ctx.auditContext)),

  /** The sessions of all people. */
  sessions: procedure("listSessions").query(({ ctx }) => listSessions(ctx, null)),

  endSession: procedure("endSession")
    .input(byId)
    .mutation(({ ctx, input: { id } }) => endSession(ctx, { id, personId: null }, ctx.auditContext)),
});

export const invitationsRouter = router({
  list: procedure("listInvitations").query(({ ctx }) => ctx.store.listInvitations(ctx.clock.now())),

  /** The link is only in this response. */
  create: procedure("createInvitation")
    .input(z.strictObject({ role: roleSchema, note: z.string().trim().max(100) }))
    .mutation(({ ctx, input }) => createInvitation(ctx, { kind: "invitation", ...input }, ctx.auditContext)),

  revoke: procedure("revokeInvitation")
    .input(byId)
    .mutation(async ({ ctx, input: { id } }) => {
      const now = ctx.clock.now();
      const isRevoked = await ctx.store.revokeInvitation({
        id,
        now,
        audit: auditOf(ctx.auditContext, { action: "invitation.revoked", subject: id, now }),
      });
      if (!isRevoked) throw new AppError("not_found", "This invitation was used, has expired or was withdrawn.");
    }),
});

export const auditRouter = router({
  /** The audit log, newest first. */
  list: procedure("listAudit")
    .input(
      z.strictObject({
        action: auditActionSchema.optional(),
        actorId: z.string().optional(),
        since: timestampSchema.optional(),
        until: timestampSchema.optional(),
        ...paging,
      }),
    )
    .query(async ({ ctx, input: { limit, cursor, since, until, ...rest } }) => {
      const page = await ctx.store.listAudit(
        dropUndefined({ ...rest, since: timestampMs(since), until: timestampMs(until) }),
        toPage({ limit, cursor }),
      );
      return { ...page, data: page.data.map(describeAudit) };
    }),
});
