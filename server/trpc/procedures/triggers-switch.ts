import { z } from "zod";
import { switchReason } from "../../contract/disabled.ts";
import { disableTrigger, enableTrigger } from "../../triggers/switch-trigger.ts";
import { procedure } from "../trpc.ts";

/** Those that are switched off, by slug: few, and read again whenever something changes. */
export const triggersDisabled = procedure.query(async ({ ctx }) =>
  Object.fromEntries(await ctx.store.listDisabledTriggers()),
);

export const triggersDisable = procedure
  .input(z.strictObject({ slug: z.string(), reason: switchReason.nullable() }))
  .mutation(({ ctx, input }) => disableTrigger(ctx, input));

export const triggersEnable = procedure
  .input(z.strictObject({ slug: z.string() }))
  .mutation(({ ctx, input }) => enableTrigger(ctx, input.slug));
