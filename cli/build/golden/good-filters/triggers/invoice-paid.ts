import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import work from "../workflows/work";

export default defineWebhookSource({
  slug: "invoice-paid",
  endpoint: "billing",
  request: z.discriminatedUnion("type", [
    z.object({ type: z.literal("invoice.paid"), invoice: z.object({ amount: z.int() }) }),
    z.object({ type: z.literal("customer.created"), customer: z.object({ email: z.email() }) }),
  ]),
  filter: z.object({ type: z.literal("invoice.paid"), invoice: z.object({ amount: z.int().min(100) }) }),
}).attach({ workflow: work, transform: ({ invoice }) => ({ amount: invoice.amount }) });
