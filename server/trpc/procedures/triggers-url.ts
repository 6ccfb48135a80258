import { z } from "zod";
import { findShowableKey } from "../../auth/find-showable-key.ts";
import { noteKeyShown } from "../../auth/show-key.ts";
import { triggerUrl } from "../../triggers/trigger-url.ts";
import { procedure } from "../trpc.ts";

/** Where to send webhooks for a trigger or an endpoint; deployed, with a key in it, which is written down. */
export const triggersUrl = procedure.input(z.strictObject({ for: z.string() })).query(async ({ ctx, input }) => {
  const found = await triggerUrl({ ...ctx, findShowableKey: (endpoint) => findShowableKey(ctx, endpoint) }, input.for);
  if (found.keyId !== null) await noteKeyShown(ctx, { keyId: found.keyId, endpoint: found.endpoint }, ctx.auditContext);
  return found;
});
