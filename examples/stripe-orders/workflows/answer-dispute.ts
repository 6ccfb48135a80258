import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
import { putIntoOutbox } from "../lib/outbox";

export default defineWorkflow({
  slug: "answer-dispute",
  input: z.object({ dispute: z.string().regex(/^\w+$/), amount: z.int(), reason: z.string() }),
  async run({ dispute, amount, reason }, ctx) {
    ctx.log.warn("A customer disputes a charge", { dispute, reason });
    await ctx.step("tell finance", () => putIntoOutbox(`dispute-${dispute}.json`, { dispute, amount, reason }));
  },
});
