import { shopify as verifyShopify } from "../../verify/senders/shopify.ts";
import { createEventSources, type EventSources } from "../define-event-source.ts";
import { type PayloadOf, readFields } from "../event-fields.ts";

/**
 * The ids of Shopify's examples and test notifications exceed 2⁵³. They are rounded, and are no safe integers. The
 * string has every digit.
 */
const identity = { id: "number", admin_graphql_api_id: "string" } as const;

const person = {
  ...identity,
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
  ...identity,
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
      ...identity,
      product_id: "number | null",
      variant_id: "number | null",
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
  /** Absent since version 2025-01 of Shopify's API. */
  "tags?": "string",
  "phone?": "string | null",
} as const;

const product = {
  ...identity,
  title: "string",
  handle: "string",
  vendor: "string",
  product_type: "string",
  status: "string",
  tags: "string",
  created_at: "string | null",
  updated_at: "string",
  variants: [{ ...identity, title: "string", price: "string", "sku?": "string | null" }],
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
  "products/delete": { id: "number" },
  "products/update": product,
  "refunds/create": { ...identity, order_id: "number", created_at: "string", "note?": "string | null" },
} as const;

type ShopifyEvents = { [Topic in keyof typeof topics]: PayloadOf<(typeof topics)[Topic]> };

const customerId = { id: 115_310_627, admin_graphql_api_id: "gid://shopify/Customer/115310627" };

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
  customer: { ...customerId, email: "ada@example.com", first_name: "Ada", last_name: "Lovelace" },
  shipping_address: { address1: "1 Main Street", city: "Berlin", country_code: "DE", zip: "10115" },
  line_items: [
    {
      id: 866_550_311,
      admin_graphql_api_id: "gid://shopify/LineItem/866550311",
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
  variants: [
    {
      id: 642_667_041,
      admin_graphql_api_id: "gid://shopify/ProductVariant/642667041",
      title: "Default Title",
      price: "49.00",
      sku: "NB-1",
    },
  ],
};

/** The ids in the example of each kind of topic. */
const exampleIds: Record<string, object> = {
  customers: customerId,
  orders: { admin_graphql_api_id: "gid://shopify/Order/820982911" },
  products: { id: 788_032_119, admin_graphql_api_id: "gid://shopify/Product/788032119" },
  refunds: { id: 929_361_462, admin_graphql_api_id: "gid://shopify/Refund/929361462" },
};

/**
 * Typed sources for the webhooks of Shopify: `shopify.on("orders/create", …)`. The header `x-shopify-topic` selects the
 * event. With `secret`, Shopify's signature is verified, and a retry is recognised by its body; without it, by
 * `x-shopify-webhook-id`. An `id` can exceed 2⁵³ and is then rounded: `admin_graphql_api_id` has it as a string.
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
    return fields ? readFields(fields, { ...example, ...exampleIds[event.split("/")[0] ?? ""] }) : null;
  },
  header: (event) => ({ name: "x-shopify-topic", value: event }),
  verify: (secret) => verifyShopify({ secret }),
  dedupe: { unsigned: { header: "x-shopify-webhook-id" } },
});
