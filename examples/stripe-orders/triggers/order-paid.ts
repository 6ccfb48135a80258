import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import fulfilOrder from "../workflows/fulfil-order";
import { fromStripe } from "./_stripe";

// https://docs.stripe.com/api/events/types#event_types-checkout.session.completed
export default defineWebhookSource({
  ...fromStripe,
  slug: "order-paid",
  request: z.object({
    id: z.string(),
    type: z.string(),
    data: z.object({
      object: z.object({
        id: z.string(),
        amount_total: z.int(),
        currency: z.string(),
        payment_status: z.string(),
        customer_details: z.object({ email: z.email() }),
      }),
    }),
  }),
  filter: z.object({
    type: z.literal("checkout.session.completed"),
    data: z.object({ object: z.object({ payment_status: z.literal("paid") }) }),
  }),
}).attach({
  workflow: fulfilOrder,
  transform: ({ data: { object: session } }) => ({
    session: session.id,
    to: session.customer_details.email,
    amount: session.amount_total,
    currency: session.currency.toUpperCase(),
  }),
});
