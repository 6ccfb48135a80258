import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
import { putIntoOutbox } from "../lib/outbox";

export default defineWorkflow({
  slug: "fulfil-order",
  input: z.object({
    session: z.string().regex(/^\w+$/),
    to: z.email(),
    amount: z.int(),
    currency: z.string().length(3),
  }),
  output: z.object({ shipment: z.string() }),
  async run({ session, to, amount, currency }, ctx) {
    // Retried by itself, for about a minute, also after a crash.
    const shipment = await ctx.step("ship", { retries: 5, initialDelay: "2s" }, async ({ idempotencyKey }) => {
      await putIntoOutbox(`shipment-${session}.json`, { id: idempotencyKey, session });
      return idempotencyKey;
    });
    await ctx.step("confirm", () =>
      putIntoOutbox(`mail-${session}.json`, {
        to,
        subject: `Your order of ${(amount / 100).toFixed(2)} ${currency} is on its way`,
        shipment,
      }),
    );
    return { shipment };
  },
});
