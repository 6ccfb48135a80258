import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
import { putIntoOutbox } from "../lib/outbox";

export default defineWorkflow({
  slug: "answer-dispute",
  input: z.object({ dispute: z.string().regex(/^\w+$/), amount: z.int(), reason: z.string() }),
  async run({ dispute, amount, reason }, ctx) {
    ctx.log.warn("Customer disputed a charge", { dispute, reason });
    await ctx.step("notify finance", () => putIntoOutbox(`dispute-${dispute}.json`, { dispute, amount, reason }));
  },
});
