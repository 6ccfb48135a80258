import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import answerDispute from "../workflows/answer-dispute";
import { fromStripe } from "./_stripe";

// https://docs.stripe.com/api/events/types#event_types-charge.dispute.created
export default defineWebhookSource({
  ...fromStripe,
  slug: "charge-disputed",
  request: z.object({
    id: z.string(),
    type: z.literal("charge.dispute.created"),
    data: z.object({ object: z.object({ id: z.string(), amount: z.int(), reason: z.string() }) }),
  }),
}).attach({
  workflow: answerDispute,
  transform: ({ data: { object } }) => ({
    dispute: object.id,
    amount: object.amount,
    reason: object.reason.replaceAll("_", " "),
  }),
});
