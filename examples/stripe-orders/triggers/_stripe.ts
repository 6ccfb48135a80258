import { stripe } from "signalbox/verify";

/**
 * The shared settings of all triggers on the endpoint `stripe`. A request without Stripe's signature gets 401. Stripe's
 * dashboard shows the signing secret (`whsec_…`) beside the endpoint. During a rotation, set both: `secret:
 * [process.env.STRIPE_SECRET_NEW, process.env.STRIPE_SECRET]`. https://docs.stripe.com/webhooks#verify-events
 */
export const fromStripe = {
  endpoint: "stripe",
  verify: stripe({ secret: process.env.STRIPE_SECRET }),
  // Stripe retries an event until it gets a response. A repeated event gets the first response again.
  dedupe: { field: "/id" },
} as const;
