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
  retries: { attempts: 5 },
  async run({ session, to, amount, currency }, ctx) {
    const shipment = await ctx.step("ship", async ({ idempotencyKey }) => {
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
