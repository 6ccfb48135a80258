import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import notifyFinance from "../../workflows/notify-finance";
import { invoiceEvent } from "./_invoice-event";

export default defineWebhookSource({
  slug: "invoice-failed",
  endpoint: "billing",
  request: invoiceEvent,
  filter: z.object({ type: z.enum(["invoice.payment_failed", "invoice.marked_uncollectible"]) }),
}).attach({
  workflow: notifyFinance,
  transform: ({ type, invoice }) => ({
    urgency: type === "invoice.payment_failed" ? "warning" : "alarm",
    subject: `${invoice.customer} has not paid ${invoice.number}`,
    invoice,
  }),
});
