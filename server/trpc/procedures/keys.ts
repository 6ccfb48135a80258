import { z } from "zod";
import { createKey, maxOverlapSeconds, revokeKey, rotateKey } from "../../auth/keys/manage-keys.ts";
import { showKey } from "../../auth/keys/show-key.ts";
import { scopeSchema } from "../../contract/access/key.ts";
import { endpointSchema } from "../../contract/project/endpoint.ts";
import { procedure, router } from "../trpc.ts";

const name = z.string().trim().min(1, "Enter a name").max(100);
const lifetimeDays = z.int().min(1).max(3650).nullable();
const dayMs = 24 * 60 * 60 * 1000;

const newKeySchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("api"), name, lifetimeDays, scope: scopeSchema }),
  z.strictObject({
    kind: z.literal("webhook"),
    name,
    lifetimeDays,
    endpoints: z.array(endpointSchema).min(1).max(100).nullable(),
  }),
]);

export const keysRouter = router({
  /** All keys, including revoked and expired ones, without their secrets. */
  list: procedure("listKeys").query(({ ctx }) => ctx.store.listKeys()),

  /** The secret of an API token is only in this response. */
  create: procedure("createKey")
    .input(newKeySchema)
    .mutation(({ ctx, input }) =>
      createKey(
        ctx,
        {
          kind: input.kind,
          name: input.name,
          endpoints: input.kind === "webhook" ? input.endpoints : null,
          scope: input.kind === "api" ? input.scope : null,
          expiresAt: input.lifetimeDays === null ? null : ctx.clock.now() + input.lifetimeDays * dayMs,
        },
        ctx.auditContext,
      ),
    ),

  /** The secret of the new API token is only in this response. */
  rotate: procedure("rotateKey")
    .input(z.strictObject({ id: z.string(), overlapSeconds: z.int().min(0).max(maxOverlapSeconds) }))
    .mutation(({ ctx, input: { id, overlapSeconds } }) =>
      rotateKey(ctx, { id, overlapMs: overlapSeconds * 1000 }, ctx.auditContext),
    ),

  revoke: procedure("revokeKey")
    .input(z.strictObject({ id: z.string() }))
    .mutation(({ ctx, input }) => revokeKey(ctx, input.id, ctx.auditContext)),

  /** A mutation, because it writes an audit entry. */
  show: procedure("showKey")
    .input(z.strictObject({ id: z.string() }))
    .mutation(async ({ ctx, input }) => ({ secret: await showKey(ctx, input.id, ctx.auditContext) })),
});
