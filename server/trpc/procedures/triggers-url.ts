import { z } from "zod";
import { findShowableKey } from "../../auth/find-showable-key.ts";
import { triggerUrl } from "../../triggers/trigger-url.ts";
import { procedure } from "../trpc.ts";

/** Where to send webhooks for a trigger or an endpoint; deployed, with a key in it. */
export const triggersUrl = procedure
  .input(z.strictObject({ for: z.string() }))
  .query(({ ctx, input }) => triggerUrl({ ...ctx, findShowableKey: (endpoint) => findShowableKey(ctx, endpoint) }, input.for));
