import { shopify as verifyShopify } from "../../verify/senders/shopify.ts";
import { createEventSources, type EventSources } from "../define-event-source.ts";
import { type PayloadOf, readFields } from "../event-fields.ts";

const person = {
  id: "integer",
  email: "string | null",
  first_name: "string | null",
  last_name: "string | null",
} as const;

const address = {
  address1: "string | null",
  city: "string | null",
  country_code: "string | null",
  zip: "string | null",
} as const;

/** Amounts are decimal strings in `currency`; times are ISO 8601. */
const order = {
  id: "integer",
  name: "string",
  order_number: "integer",
  "email?": "string | null",
  "contact_email?": "string | null",
  created_at: "string",
  updated_at: "string",
  "cancelled_at?": "string | null",
  "cancel_reason?": "string | null",
  currency: "string",
  total_price: "string",
  subtotal_price: "string",
  total_tax: "string",
  "financial_status?": "string | null",
  "fulfillment_status?": "string | null",
  "note?": "string | null",
  tags: "string",
  test: "boolean",
  "customer?": { or: null, of: person },
  "shipping_address?": { or: null, of: address },
  line_items: [
    {
      id: "integer",
      product_id: "integer | null",
      variant_id: "integer | null",
      title: "string",
      quantity: "integer",
      price: "string",
      "sku?": "string | null",
    },
  ],
} as const;

const customer = {
  ...person,
  created_at: "string",
  updated_at: "string",
  tags: "string",
  "phone?": "string | null",
} as const;

const product = {
  id: "integer",
  title: "string",
  handle: "string",
  vendor: "string",
  product_type: "string",
  status: "string",
  tags: "string",
  created_at: "string",
  updated_at: "string",
  variants: [{ id: "integer", title: "string", price: "string", "sku?": "string | null" }],
} as const;

const topics = {
  "customers/create": customer,
  "customers/update": customer,
  "orders/cancelled": order,
  "orders/create": order,
  "orders/fulfilled": order,
  "orders/paid": order,
  "orders/updated": order,
  "products/create": product,
  "products/delete": { id: "integer" },
  "products/update": product,
  "refunds/create": { id: "integer", order_id: "integer", created_at: "string", "note?": "string | null" },
} as const;

type ShopifyEvents = { [Topic in keyof typeof topics]: PayloadOf<(typeof topics)[Topic]> };

const example = {
  id: 820_982_911,
  name: "#1001",
  order_number: 1001,
  order_id: 820_982_911,
  email: "ada@example.com",
  contact_email: "ada@example.com",
  first_name: "Ada",
  last_name: "Lovelace",
  created_at: "2026-01-01T01:00:00+01:00",
  updated_at: "2026-01-01T01:00:00+01:00",
  currency: "EUR",
  total_price: "49.00",
  subtotal_price: "41.18",
  total_tax: "7.82",
  financial_status: "paid",
  tags: "",
  test: true,
  customer: { id: 115_310_627, email: "ada@example.com", first_name: "Ada", last_name: "Lovelace" },
  shipping_address: { address1: "1 Main Street", city: "Berlin", country_code: "DE", zip: "10115" },
  line_items: [
    {
      id: 866_550_311,
      product_id: 788_032_119,
      variant_id: 642_667_041,
      title: "Notebook",
      quantity: 1,
      price: "49.00",
      sku: "NB-1",
    },
  ],
  title: "Notebook",
  handle: "notebook",
  vendor: "Example",
  product_type: "Stationery",
  status: "active",
  variants: [{ id: 642_667_041, title: "Default Title", price: "49.00", sku: "NB-1" }],
};

/**
 * Typed sources for the webhooks of Shopify: `shopify.on("orders/create", …)`. The header `x-shopify-topic` selects the
 * event. With `secret`, Shopify's signature is verified, and a retry is recognised by its body; without it, by
 * `x-shopify-webhook-id`.
 *
 * @example
 *   // triggers/new-order.ts
 *   import { shopify } from "signalbox/sources/shopify";
 *   import packOrder from "../workflows/pack-order.js";
 *
 *   export default shopify
 *     .on("orders/create", {
 *       slug: "new-order",
 *       endpoint: "shopify",
 *       secret: process.env.SHOPIFY_SECRET,
 *       pick: ["name", "total_price", "line_items[].sku"],
 *     })
 *     .attach({ workflow: packOrder });
 */
export const shopify: EventSources<ShopifyEvents, "x-shopify-topic"> = createEventSources({
  name: "shopify",
  findEvent(event) {
    const fields = Object.entries(topics).find(([topic]) => topic === event)?.[1];
    return fields ? readFields(fields, example) : null;
  },
  header: (event) => ({ name: "x-shopify-topic", value: event }),
  verify: (secret) => verifyShopify({ secret }),
  dedupe: { unsigned: { header: "x-shopify-webhook-id" } },
});
