import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import notifyFinance from "../../workflows/notify-finance";
import { invoiceEvent } from "./_invoice-event";

export default defineWebhookSource({
  slug: "large-invoice",
  endpoint: "billing",
  request: invoiceEvent,
  filter: z.object({ type: z.literal("invoice.paid"), invoice: z.object({ amount: z.int().min(1_000_000) }) }),
}).attach({
  workflow: notifyFinance,
  transform: ({ invoice }) => ({ urgency: "info", subject: `${invoice.customer} paid ${invoice.number}`, invoice }),
});
