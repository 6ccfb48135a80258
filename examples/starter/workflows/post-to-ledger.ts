import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
import { appendOnce } from "../lib/outbox";

export default defineWorkflow({
  slug: "post-to-ledger",
  input: z.object({
    number: z.string(),
    customer: z.string(),
    amount: z.int(),
    currency: z.string(),
    account: z.enum(["receivables", "deferred"]).default("receivables"),
  }),
  output: z.object({ entry: z.string() }),
  // One run at a time, over all workers.
  concurrency: 1,
  async run(input, ctx) {
    // A step can have retries and a timeout of its own, also for waits of hours.
    const entry = await ctx.step("post", { retries: 4, timeout: "30s" }, async ({ idempotencyKey }) => {
      const cells = [idempotencyKey, input.account, input.number, input.customer, String(input.amount), input.currency];
      await appendOnce({ file: "ledger.csv", key: idempotencyKey, line: cells.map(quote).join(",") });
      return idempotencyKey;
    });
    ctx.log.info("Posted", { entry, number: input.number });
    return { entry };
  },
});

/** Quotes a CSV cell so that a spreadsheet reads it as text, never as a formula. */
function quote(cell: string): string {
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return `"${text.replaceAll('"', '""')}"`;
}
