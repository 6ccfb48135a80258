import { stripe as verifyStripe } from "../../verify/senders/stripe.ts";
import { createEventSources, type EventSources } from "../define-event-source.ts";
import { type PayloadOf, readFields } from "../event-fields.ts";

/** The envelope of every event of Stripe. Times are Unix seconds, amounts are in the smallest unit of the currency. */
const envelope = {
  id: "string",
  type: "string",
  api_version: "string | null",
  created: "integer",
  livemode: "boolean",
} as const;

const session = {
  id: "string",
  amount_subtotal: "integer | null",
  amount_total: "integer | null",
  client_reference_id: "string | null",
  created: "integer",
  currency: "string | null",
  customer: "string | null",
  customer_email: "string | null",
  customer_details: {
    or: null,
    of: { email: "string | null", name: "string | null", phone: "string | null" },
  },
  metadata: "object | null",
  mode: "string",
  payment_intent: "string | null",
  payment_status: "string",
  status: "string | null",
  subscription: "string | null",
} as const;

const invoice = {
  id: "string",
  amount_due: "integer",
  amount_paid: "integer",
  amount_remaining: "integer",
  attempt_count: "integer",
  billing_reason: "string | null",
  created: "integer",
  currency: "string",
  customer: "string | null",
  customer_email: "string | null",
  customer_name: "string | null",
  due_date: "integer | null",
  "hosted_invoice_url?": "string | null",
  "invoice_pdf?": "string | null",
  metadata: "object | null",
  number: "string | null",
  period_end: "integer",
  period_start: "integer",
  status: "string | null",
  subtotal: "integer",
  total: "integer",
} as const;

const subscription = {
  id: "string",
  cancel_at: "integer | null",
  cancel_at_period_end: "boolean",
  canceled_at: "integer | null",
  created: "integer",
  currency: "string",
  customer: "string",
  ended_at: "integer | null",
  items: {
    data: [
      {
        id: "string",
        "quantity?": "integer",
        price: { id: "string", currency: "string", unit_amount: "integer | null" },
      },
    ],
  },
  latest_invoice: "string | null",
  metadata: "object",
  start_date: "integer",
  status: "string",
  trial_end: "integer | null",
} as const;

const paymentIntent = {
  id: "string",
  amount: "integer",
  amount_received: "integer",
  created: "integer",
  currency: "string",
  customer: "string | null",
  description: "string | null",
  last_payment_error: {
    or: null,
    of: { "code?": "string", "decline_code?": "string", "message?": "string", type: "string" },
  },
  metadata: "object",
  payment_method: "string | null",
  receipt_email: "string | null",
  status: "string",
} as const;

const charge = {
  id: "string",
  amount: "integer",
  amount_refunded: "integer",
  billing_details: { email: "string | null", name: "string | null", phone: "string | null" },
  created: "integer",
  currency: "string",
  customer: "string | null",
  description: "string | null",
  failure_code: "string | null",
  failure_message: "string | null",
  metadata: "object",
  paid: "boolean",
  payment_intent: "string | null",
  receipt_url: "string | null",
  refunded: "boolean",
  status: "string",
} as const;

const customer = {
  id: "string",
  created: "integer",
  description: "string | null",
  email: "string | null",
  metadata: "object",
  "name?": "string | null",
  "phone?": "string | null",
} as const;

const objects = {
  "charge.failed": charge,
  "charge.refunded": charge,
  "charge.succeeded": charge,
  "checkout.session.completed": session,
  "checkout.session.expired": session,
  "customer.created": customer,
  "customer.deleted": customer,
  "customer.updated": customer,
  "customer.subscription.created": subscription,
  "customer.subscription.deleted": subscription,
  "customer.subscription.updated": subscription,
  "invoice.finalized": invoice,
  "invoice.paid": invoice,
  "invoice.payment_failed": invoice,
  "payment_intent.payment_failed": paymentIntent,
  "payment_intent.succeeded": paymentIntent,
} as const;

type StripeEvents = {
  [Event in keyof typeof objects]: PayloadOf<typeof envelope & { data: { object: (typeof objects)[Event] } }>;
};

/** Values of all objects: each schema takes those of its fields. */
const example = {
  id: "evt_1MtHbELkdIwHu7ixl4OzzPMv",
  api_version: "2026-01-28.clover",
  created: 1_767_225_600,
  livemode: false,
  data: {
    object: {
      id: "in_1MtHbELkdIwHu7ixl4OzzPMv",
      amount: 4900,
      amount_due: 4900,
      amount_paid: 4900,
      amount_received: 4900,
      amount_refunded: 0,
      amount_remaining: 0,
      amount_subtotal: 4900,
      amount_total: 4900,
      attempt_count: 1,
      billing_details: { email: "ada@example.com", name: "Ada Lovelace", phone: null },
      billing_reason: "subscription_cycle",
      cancel_at_period_end: false,
      created: 1_767_225_600,
      currency: "eur",
      customer: "cus_NffrFeUfNV2Hib",
      customer_details: { email: "ada@example.com", name: "Ada Lovelace", phone: null },
      customer_email: "ada@example.com",
      customer_name: "Ada Lovelace",
      email: "ada@example.com",
      items: {
        data: [
          {
            id: "si_NcLYdDxLHxlFo7",
            quantity: 1,
            price: { id: "price_1MtHbELkdIwHu7ixl4OzzPMv", currency: "eur", unit_amount: 4900 },
          },
        ],
      },
      last_payment_error: {
        code: "card_declined",
        decline_code: "insufficient_funds",
        message: "Your card was declined.",
        type: "card_error",
      },
      metadata: { order: "7" },
      mode: "payment",
      name: "Ada Lovelace",
      number: "0B8C-0001",
      paid: true,
      payment_intent: "pi_3MtwBwLkdIwHu7ix28a3tqPa",
      payment_status: "paid",
      period_end: 1_767_225_600,
      period_start: 1_764_547_200,
      refunded: false,
      start_date: 1_764_547_200,
      status: "paid",
      subtotal: 4900,
      total: 4900,
    },
  },
};

/**
 * Typed sources for the webhooks of Stripe: `stripe.on("invoice.paid", …)`. The field `type` selects the event. With
 * `secret`, Stripe's signature is verified. Events are identified by their `id`.
 *
 * @example
 *   // triggers/invoice-paid.ts
 *   import { stripe } from "signalbox/sources/stripe";
 *   import bookInvoice from "../workflows/book-invoice.js";
 *
 *   export default stripe
 *     .on("invoice.paid", {
 *       slug: "invoice-paid",
 *       endpoint: "stripe",
 *       secret: process.env.STRIPE_SECRET,
 *       pick: ["data.object.id", "data.object.amount_paid", "data.object.currency"],
 *     })
 *     .attach({ workflow: bookInvoice, transform: ({ data }) => data.object });
 */
export const stripe: EventSources<StripeEvents> = createEventSources({
  name: "stripe",
  findEvent(event) {
    const object = Object.entries(objects).find(([name]) => name === event)?.[1];
    return object ? readFields({ ...envelope, data: { object } }, example) : null;
  },
  fixed: (event) => ({ type: event }),
  verify: (secret) => verifyStripe({ secret }),
  dedupe: { signed: { field: "/id" }, unsigned: { field: "/id" } },
});
