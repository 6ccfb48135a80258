import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
import { appendOnce } from "../lib/outbox";

export default defineWorkflow({
  slug: "notify-finance",
  input: z.object({
    urgency: z.enum(["info", "warning", "alarm"]),
    subject: z.string().min(1),
    invoice: z.object({ number: z.string(), amount: z.int(), currency: z.string() }),
  }),
  async run({ urgency, subject, invoice }, ctx) {
    await ctx.step("notify", ({ idempotencyKey }) => {
      const note = { id: idempotencyKey, urgency, subject, invoice };
      return appendOnce({ file: "finance.jsonl", key: idempotencyKey, line: JSON.stringify(note) });
    });
    if (urgency === "alarm") ctx.log.warn("Finance must look at this immediately", { invoice: invoice.number });
  },
});
