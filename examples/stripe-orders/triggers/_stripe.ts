import { stripe } from "signalbox/verify";

/**
 * What all triggers on the endpoint `stripe` have in common: requests are Stripe's own, or 401. The signing secret
 * (`whsec_…`) stands in Stripe's dashboard beside the endpoint; while you change it, name both: `secret:
 * [process.env.STRIPE_SECRET_NEW, process.env.STRIPE_SECRET]`. https://docs.stripe.com/webhooks#verify-events
 */
export const fromStripe = {
  endpoint: "stripe",
  verify: stripe({ secret: process.env.STRIPE_SECRET }),
  // Stripe sends an event again until it is answered: the first answer counts.
  dedupe: { field: "/id" },
} as const;
