import { expectTypeOf, test } from "vitest";
import { github } from "./github/index.ts";
import { shopify } from "./shopify/index.ts";
import { slack } from "./slack/index.ts";
import { stripe } from "./stripe/index.ts";
import { twilio } from "./twilio/index.ts";
import type { WebhookSource } from "../trigger/define-webhook-source.ts";

type PayloadOf<Source> = Source extends WebhookSource<string, infer Payload, infer _Headers> ? Payload : never;

test("the payload has just the picked paths, with their types", () => {
  const issue = github.on("issues.opened", {
    slug: "a",
    endpoint: "a",
    pick: ["issue.number", "issue.milestone.title", "issue.labels[].name", "installation.id"],
  });
  type Payload = PayloadOf<typeof issue>;
  expectTypeOf<Payload["issue"]["number"]>().toEqualTypeOf<number>();
  expectTypeOf<NonNullable<Payload["issue"]["milestone"]>>().toEqualTypeOf<{ title: string }>();
  expectTypeOf<null>().toExtend<Payload["issue"]["milestone"]>();
  expectTypeOf<Payload["installation"]>().toEqualTypeOf<{ id: number } | undefined>();
  expectTypeOf<keyof Payload>().toEqualTypeOf<"issue" | "installation">();

  const paid = stripe.on("invoice.paid", { slug: "a", endpoint: "a", pick: ["data.object.amount_paid", "created"] });
  expectTypeOf<PayloadOf<typeof paid>>().toEqualTypeOf<{
    data: { object: { amount_paid: number } };
    created: number;
  }>();

  const mention = slack.on("app_mention", { slug: "a", endpoint: "a", pick: ["event.thread_ts"] });
  expectTypeOf<PayloadOf<typeof mention>>().toEqualTypeOf<{ event: { thread_ts?: string } }>();

  const order = shopify.on("orders/create", { slug: "a", endpoint: "a", pick: ["line_items[].sku"] });
  expectTypeOf<PayloadOf<typeof order>>().toEqualTypeOf<{ line_items: { sku?: string | null }[] }>();

  const message = twilio.on("message.received", { slug: "a", endpoint: "a", pick: ["From", "Body", "MediaUrl0"] });
  expectTypeOf<PayloadOf<typeof message>>().toEqualTypeOf<{ From: string; Body: string; MediaUrl0?: string }>();
});

test("unknown events and paths are errors", () => {
  // @ts-expect-error an event of GitHub is issues.opened, not issue.opened
  github.on("issue.opened", { slug: "a", endpoint: "a", pick: [] });
  // @ts-expect-error the number of an issue is not misspelt
  github.on("issues.opened", { slug: "a", endpoint: "a", pick: ["issue.numbr"] });
  // @ts-expect-error an object is picked by its fields
  github.on("issues.opened", { slug: "a", endpoint: "a", pick: ["repository"] });
  // @ts-expect-error the items of a list have brackets
  shopify.on("orders/create", { slug: "a", endpoint: "a", pick: ["line_items.sku"] });
  // @ts-expect-error a received message has no status callback's fields
  twilio.on("message.received", { slug: "a", endpoint: "a", pick: ["MessageStatus"] });
  // @ts-expect-error Twilio calls it canceled
  twilio.on("call.cancelled", { slug: "a", endpoint: "a", pick: [] });
  expectTypeOf(github.on).parameter(0).toExtend<string>();
});
