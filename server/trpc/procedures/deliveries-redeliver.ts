import { z } from "zod";
import { redeliver } from "../../deliveries/redeliver.ts";
import { procedure } from "../trpc.ts";

/** To every trigger on the endpoint, or to one. */
export const deliveriesRedeliver = procedure
  .input(z.strictObject({ id: z.string(), trigger: z.string().nullable() }))
  .mutation(async ({ ctx, input }) => ({ deliveryId: await redeliver(ctx, { ...input, startedBy: "form" }) }));
