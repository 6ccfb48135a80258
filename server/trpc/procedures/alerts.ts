import { z } from "zod";
import { testAlerts } from "../../alerts/test-alerts.ts";
import { procedure, router } from "../trpc.ts";
import { paging, toPage } from "./input-schemas.ts";

export const alertsRouter = router({
  list: procedure("listAlerts")
    .input(z.strictObject({ isActive: z.boolean().optional(), ...paging }))
    .query(({ ctx, input: { isActive, ...page } }) =>
      ctx.store.listAlerts(isActive === undefined ? {} : { isActive }, toPage(page)),
    ),

  /** `isOn`: whether the settings have alerts. Without, none are opened. */
  countActive: procedure("listAlerts").query(async ({ ctx }) => ({
    active: await ctx.store.countActiveAlerts(),
    isOn: ctx.alerts !== null,
  })),

  /** Sends a test message to each destination. */
  test: procedure("testAlerts").mutation(({ ctx }) => testAlerts(ctx)),
});
