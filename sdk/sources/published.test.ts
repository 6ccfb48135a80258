import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { shopifyOrder } from "../testing/shopify-order.ts";
import { shopify } from "./shopify/index.ts";
import { slack } from "./slack/index.ts";

/**
 * The examples that senders publish in their documentation, without the fields that no source has. They are JSON as
 * received: ids beyond 2⁵³ are rounded when they are parsed.
 */

const issuesOf = (source: { request: unknown }, body: unknown) =>
  (source.request as z.ZodType).safeParse(body).error?.issues ?? [];

const customer = `{
  "id": 706405506930370084, "created_at": "2021-12-31T19:00:00-05:00", "updated_at": "2021-12-31T19:00:00-05:00",
  "first_name": "Bob", "last_name": "Biller", "state": "disabled", "note": "This customer loves ice cream",
  "email": "bob@biller.com", "phone": null, "currency": "USD", "addresses": [],
  "admin_graphql_api_id": "gid://shopify/Customer/706405506930370084"
}`;
const product = `{
  "admin_graphql_api_id": "gid://shopify/Product/788032119674292922", "body_html": "An example T-Shirt",
  "created_at": null, "handle": "example-t-shirt", "id": 788032119674292922, "product_type": "Shirts",
  "title": "Example T-Shirt", "updated_at": "2021-12-31T19:00:00-05:00", "vendor": "Acme", "status": "active",
  "tags": "example, mens, t-shirt",
  "variants": [
    {
      "admin_graphql_api_id": "gid://shopify/ProductVariant/642667041472713922", "id": 642667041472713922,
      "price": "19.99", "product_id": 788032119674292922, "sku": null, "title": "Small"
    }
  ]
}`;
const refund = `{
  "id": 890088186047892319, "order_id": 820982911946154508, "created_at": "2021-12-31T19:00:00-05:00",
  "note": "Things were damaged", "admin_graphql_api_id": "gid://shopify/Refund/890088186047892319"
}`;

const place = { slug: "a", endpoint: "a" } as const;

const orderPaths = [
  "id",
  "admin_graphql_api_id",
  "name",
  "order_number",
  "email",
  "contact_email",
  "created_at",
  "updated_at",
  "cancelled_at",
  "cancel_reason",
  "currency",
  "total_price",
  "subtotal_price",
  "total_tax",
  "financial_status",
  "fulfillment_status",
  "note",
  "tags",
  "test",
  "customer.id",
  "customer.admin_graphql_api_id",
  "customer.email",
  "customer.first_name",
  "customer.last_name",
  "shipping_address.address1",
  "shipping_address.city",
  "shipping_address.country_code",
  "shipping_address.zip",
  "line_items[].id",
  "line_items[].admin_graphql_api_id",
  "line_items[].product_id",
  "line_items[].variant_id",
  "line_items[].title",
  "line_items[].quantity",
  "line_items[].price",
  "line_items[].sku",
] as const;
const customerPaths = [
  "id",
  "admin_graphql_api_id",
  "email",
  "first_name",
  "last_name",
  "created_at",
  "updated_at",
  "tags",
  "phone",
] as const;
const productPaths = [
  "id",
  "admin_graphql_api_id",
  "title",
  "handle",
  "vendor",
  "product_type",
  "status",
  "tags",
  "created_at",
  "updated_at",
  "variants[].id",
  "variants[].admin_graphql_api_id",
  "variants[].title",
  "variants[].price",
  "variants[].sku",
] as const;
const refundPaths = ["id", "admin_graphql_api_id", "order_id", "created_at", "note"] as const;

const orderTopics = ["orders/create", "orders/updated", "orders/fulfilled", "orders/paid", "orders/cancelled"] as const;
const customerTopics = ["customers/create", "customers/update"] as const;
const productTopics = ["products/create", "products/update"] as const;

describe("Shopify's own example", () => {
  it.each([
    ...orderTopics.map((topic) => ({
      topic,
      body: shopifyOrder,
      source: shopify.on(topic, { ...place, pick: orderPaths }),
    })),
    ...customerTopics.map((topic) => ({
      topic,
      body: customer,
      source: shopify.on(topic, { ...place, pick: customerPaths }),
    })),
    ...productTopics.map((topic) => ({
      topic,
      body: product,
      source: shopify.on(topic, { ...place, pick: productPaths }),
    })),
    {
      topic: "products/delete",
      body: '{ "id": 788032119674292922 }',
      source: shopify.on("products/delete", { ...place, pick: ["id"] }),
    },
    {
      topic: "refunds/create",
      body: refund,
      source: shopify.on("refunds/create", { ...place, pick: refundPaths }),
    },
  ])("of $topic matches a source that picks every path", ({ source, body }) => {
    const received = JSON.parse(body) as object;
    expect(issuesOf(source, received)).toEqual([]);
    expect(issuesOf(source, { ...received, id: "820982911946154508" })).not.toEqual([]);
  });
});

/** What surrounds each example at https://docs.slack.dev/reference/events. */
const inEnvelope = (event: object) => ({
  token: "XXYYZZ",
  team_id: "T123ABC456",
  api_app_id: "A123ABC456",
  event,
  type: "event_callback",
  authorizations: [{ team_id: "T123ABC456", user_id: "U123ABC456", is_bot: false, is_enterprise_install: false }],
  event_id: "Ev123ABC456",
  event_time: 123456789,
});
const envelopePaths = ["team_id", "api_app_id", "event_id", "event_time"] as const;

const reaction = {
  user: "U123ABC456",
  reaction: "thumbsup",
  item_user: "U222222222",
  item: { type: "message", channel: "C123ABC456", ts: "1360782400.498405" },
  event_ts: "1360782804.083113",
};
const reactionPaths = [
  ...envelopePaths,
  "event.user",
  "event.reaction",
  "event.item_user",
  "event.item.type",
  "event.item.channel",
  "event.item.ts",
  "event.event_ts",
] as const;

describe("Slack's own example", () => {
  it.each([
    {
      source: slack.on("app_home_opened", {
        ...place,
        pick: [...envelopePaths, "event.user", "event.channel", "event.tab", "event.event_ts"],
      }),
      event: {
        type: "app_home_opened",
        user: "U123ABC456",
        channel: "D123ABC456",
        event_ts: "1515449522000016",
        tab: "home",
        view: { id: "V123ABC456", team_id: "T123ABC456", type: "home", blocks: [] },
      },
    },
    {
      source: slack.on("app_mention", {
        ...place,
        pick: [
          ...envelopePaths,
          "event.user",
          "event.bot_id",
          "event.text",
          "event.ts",
          "event.channel",
          "event.thread_ts",
          "event.event_ts",
        ],
      }),
      event: {
        type: "app_mention",
        user: "U061F7AUR",
        text: "<@U0LAN0Z89> is it everything a river should be?",
        ts: "1515449522.000016",
        channel: "C123ABC456",
        event_ts: "1515449522000016",
      },
    },
    {
      source: slack.on("channel_created", {
        ...place,
        pick: [
          ...envelopePaths,
          "event.channel.id",
          "event.channel.name",
          "event.channel.created",
          "event.channel.creator",
        ],
      }),
      event: {
        type: "channel_created",
        channel: { id: "C024BE91L", name: "fun", created: 1360782804, creator: "U024BE7LH" },
      },
    },
    {
      source: slack.on("member_joined_channel", {
        ...place,
        pick: [...envelopePaths, "event.user", "event.channel", "event.channel_type", "event.team", "event.inviter"],
      }),
      event: {
        type: "member_joined_channel",
        user: "W123ABC456",
        channel: "C123ABC456",
        channel_type: "C",
        team: "T123ABC456",
        inviter: "U123456789",
        enterprise: "E123456789",
      },
    },
    {
      // The example has no `event_ts`, which every message has.
      source: slack.on("message", {
        ...place,
        pick: [
          ...envelopePaths,
          "event.subtype",
          "event.channel",
          "event.channel_type",
          "event.user",
          "event.bot_id",
          "event.text",
          "event.ts",
          "event.thread_ts",
        ],
      }),
      event: {
        type: "message",
        channel: "C123ABC456",
        user: "U123ABC456",
        text: "Hello world",
        ts: "1355517523.000005",
        channel_type: "channel",
      },
    },
    {
      source: slack.on("reaction_added", { ...place, pick: reactionPaths }),
      event: { type: "reaction_added", ...reaction },
    },
    {
      source: slack.on("reaction_removed", { ...place, pick: reactionPaths }),
      event: { type: "reaction_removed", ...reaction },
    },
  ])("of $event.type matches a source that picks every path", ({ source, event }) => {
    const received = inEnvelope(event);
    expect(issuesOf(source, received)).toEqual([]);
    expect(issuesOf(source, { ...received, event_time: "123456789" })).not.toEqual([]);
    expect(issuesOf({ request: source.event }, inEnvelope(event))).toEqual([]);
    expect(issuesOf({ request: source.event }, inEnvelope({ ...event, type: "pin_added" }))).not.toEqual([]);
  });
});
