import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import postToLedger from "../../workflows/post-to-ledger";
import { invoiceEvent } from "./_invoice-event";

// Three triggers share this endpoint and differ in `filter`. All that match start a run.
export default defineWebhookSource({
  slug: "invoice-paid",
  endpoint: "billing",
  request: invoiceEvent,
  filter: z.object({ type: z.literal("invoice.paid") }),
}).attach({
  workflow: postToLedger,
  transform: ({ invoice }) => ({ ...invoice, account: "receivables" }),
});
