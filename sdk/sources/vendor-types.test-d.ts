import type {
  AllMessageEvents,
  AppHomeOpenedEvent,
  AppMentionEvent,
  ChannelCreatedEvent,
  MemberJoinedChannelEvent,
  ReactionAddedEvent,
  ReactionRemovedEvent,
  TeamJoinEvent,
} from "@slack/types";
import type { Stripe } from "stripe";
import { expectTypeOf, test } from "vitest";
import type { Jsonify } from "../jsonify.ts";
import type { WebhookSource } from "../trigger/define-webhook-source.ts";
import { slack } from "./slack/index.ts";
import { stripe } from "./stripe/index.ts";

type PayloadOf<Source> = Source extends WebhookSource<string, infer Payload, infer _Headers> ? Payload : never;

/** The fields of an object in an event of Stripe, which has the ids of other objects, never the objects themselves. */
type InEvent<Theirs, Ours> = {
  [Name in keyof Theirs & keyof Ours]: [Extract<Theirs[Name], string>] extends [never]
    ? Theirs[Name]
    : Exclude<Theirs[Name], object>;
};

/** Whether every value that Stripe's own types allow has the type that the source gives it. */
type Accepts<Ours, Theirs> = [keyof Ours] extends [keyof Theirs]
  ? InEvent<Theirs, Ours> extends Ours
    ? true
    : {
        [Name in keyof Ours & keyof Theirs as InEvent<Theirs, Ours>[Name] extends Ours[Name] ? never : Name]: [
          InEvent<Theirs, Ours>[Name],
          Ours[Name],
        ];
      }
  : Exclude<keyof Ours, keyof Theirs>;

test("the events of Stripe have the fields and types of Stripe's own library", () => {
  const place = { slug: "a", endpoint: "a" } as const;
  const session = stripe.on("checkout.session.completed", {
    ...place,
    pick: [
      "data.object.id",
      "data.object.amount_subtotal",
      "data.object.amount_total",
      "data.object.client_reference_id",
      "data.object.created",
      "data.object.currency",
      "data.object.customer",
      "data.object.customer_email",
      "data.object.customer_details.email",
      "data.object.customer_details.name",
      "data.object.customer_details.phone",
      "data.object.metadata",
      "data.object.mode",
      "data.object.payment_intent",
      "data.object.payment_status",
      "data.object.status",
      "data.object.subscription",
    ],
  });
  expectTypeOf<Accepts<PayloadOf<typeof session>["data"]["object"], Stripe.Checkout.Session>>().toEqualTypeOf<true>();

  const invoice = stripe.on("invoice.paid", {
    ...place,
    pick: [
      "data.object.id",
      "data.object.amount_due",
      "data.object.amount_paid",
      "data.object.amount_remaining",
      "data.object.attempt_count",
      "data.object.billing_reason",
      "data.object.created",
      "data.object.currency",
      "data.object.customer",
      "data.object.customer_email",
      "data.object.customer_name",
      "data.object.due_date",
      "data.object.hosted_invoice_url",
      "data.object.invoice_pdf",
      "data.object.metadata",
      "data.object.number",
      "data.object.period_end",
      "data.object.period_start",
      "data.object.status",
      "data.object.subtotal",
      "data.object.total",
    ],
  });
  expectTypeOf<Accepts<PayloadOf<typeof invoice>["data"]["object"], Stripe.Invoice>>().toEqualTypeOf<true>();

  // @ts-expect-error the amount is a number
  expectTypeOf<Accepts<{ amount_paid: string }, Stripe.Invoice>>().toEqualTypeOf<true>();
  // @ts-expect-error the field is called amount_paid
  expectTypeOf<Accepts<{ amount_payed: number }, Stripe.Invoice>>().toEqualTypeOf<true>();

  const subscription = stripe.on("customer.subscription.updated", {
    ...place,
    pick: [
      "data.object.id",
      "data.object.cancel_at",
      "data.object.cancel_at_period_end",
      "data.object.canceled_at",
      "data.object.created",
      "data.object.currency",
      "data.object.customer",
      "data.object.ended_at",
      "data.object.items.data[].id",
      "data.object.items.data[].quantity",
      "data.object.items.data[].price.id",
      "data.object.items.data[].price.currency",
      "data.object.items.data[].price.unit_amount",
      "data.object.latest_invoice",
      "data.object.metadata",
      "data.object.start_date",
      "data.object.status",
      "data.object.trial_end",
    ],
  });
  expectTypeOf<Accepts<PayloadOf<typeof subscription>["data"]["object"], Stripe.Subscription>>().toEqualTypeOf<true>();

  const payment = stripe.on("payment_intent.payment_failed", {
    ...place,
    pick: [
      "data.object.id",
      "data.object.amount",
      "data.object.amount_received",
      "data.object.created",
      "data.object.currency",
      "data.object.customer",
      "data.object.description",
      "data.object.last_payment_error.code",
      "data.object.last_payment_error.decline_code",
      "data.object.last_payment_error.message",
      "data.object.last_payment_error.type",
      "data.object.metadata",
      "data.object.payment_method",
      "data.object.receipt_email",
      "data.object.status",
    ],
  });
  expectTypeOf<Accepts<PayloadOf<typeof payment>["data"]["object"], Stripe.PaymentIntent>>().toEqualTypeOf<true>();

  const charge = stripe.on("charge.refunded", {
    ...place,
    pick: [
      "data.object.id",
      "data.object.amount",
      "data.object.amount_refunded",
      "data.object.billing_details.email",
      "data.object.billing_details.name",
      "data.object.billing_details.phone",
      "data.object.created",
      "data.object.currency",
      "data.object.customer",
      "data.object.description",
      "data.object.failure_code",
      "data.object.failure_message",
      "data.object.metadata",
      "data.object.paid",
      "data.object.payment_intent",
      "data.object.receipt_url",
      "data.object.refunded",
      "data.object.status",
    ],
  });
  expectTypeOf<Accepts<PayloadOf<typeof charge>["data"]["object"], Stripe.Charge>>().toEqualTypeOf<true>();

  const customer = stripe.on("customer.created", {
    ...place,
    pick: [
      "data.object.id",
      "data.object.created",
      "data.object.description",
      "data.object.email",
      "data.object.metadata",
      "data.object.name",
      "data.object.phone",
    ],
  });
  expectTypeOf<Accepts<PayloadOf<typeof customer>["data"]["object"], Stripe.Customer>>().toEqualTypeOf<true>();
});

/**
 * `true` if every event of Slack's own type has the type that the source gives it, as JSON; otherwise the events that
 * have not.
 */
type Covers<Source, Theirs> = [Uncovered<EventOf<Source>, Jsonify<Theirs>>] extends [never]
  ? true
  : Uncovered<EventOf<Source>, Jsonify<Theirs>>;

type EventOf<Source> = PayloadOf<Source> extends { event: infer Event } ? Event : never;

/** The members of the union that have a known field of another type, or lack one. */
type Uncovered<Ours, Theirs> = Theirs extends Ours ? never : Theirs;

test("the events of Slack have the fields and types of Slack's own library", () => {
  const place = { slug: "a", endpoint: "a" } as const;
  const opened = slack.on("app_home_opened", {
    ...place,
    pick: ["event.user", "event.channel", "event.tab", "event.event_ts"],
  });
  expectTypeOf<Covers<typeof opened, AppHomeOpenedEvent>>().toEqualTypeOf<true>();

  const mention = slack.on("app_mention", {
    ...place,
    pick: [
      "event.user",
      "event.bot_id",
      "event.text",
      "event.ts",
      "event.channel",
      "event.thread_ts",
      "event.event_ts",
    ],
  });
  expectTypeOf<Covers<typeof mention, AppMentionEvent>>().toEqualTypeOf<true>();

  const created = slack.on("channel_created", {
    ...place,
    pick: ["event.channel.id", "event.channel.name", "event.channel.created", "event.channel.creator"],
  });
  expectTypeOf<Covers<typeof created, ChannelCreatedEvent>>().toEqualTypeOf<true>();

  const joined = slack.on("member_joined_channel", {
    ...place,
    pick: ["event.user", "event.channel", "event.channel_type", "event.team", "event.inviter"],
  });
  expectTypeOf<Covers<typeof joined, MemberJoinedChannelEvent>>().toEqualTypeOf<true>();

  // Of every subtype: a changed message has no user, a message of a bot need not have one.
  const message = slack.on("message", {
    ...place,
    pick: [
      "event.subtype",
      "event.channel",
      "event.channel_type",
      "event.user",
      "event.bot_id",
      "event.text",
      "event.ts",
      "event.thread_ts",
      "event.event_ts",
    ],
  });
  expectTypeOf<Covers<typeof message, AllMessageEvents>>().toEqualTypeOf<true>();

  const added = slack.on("reaction_added", {
    ...place,
    pick: [
      "event.user",
      "event.reaction",
      "event.item_user",
      "event.item.type",
      "event.item.channel",
      "event.item.ts",
      "event.event_ts",
    ],
  });
  expectTypeOf<Covers<typeof added, ReactionAddedEvent>>().toEqualTypeOf<true>();
  const removed = slack.on("reaction_removed", {
    ...place,
    pick: [
      "event.user",
      "event.reaction",
      "event.item_user",
      "event.item.type",
      "event.item.channel",
      "event.item.ts",
      "event.event_ts",
    ],
  });
  expectTypeOf<Covers<typeof removed, ReactionRemovedEvent>>().toEqualTypeOf<true>();

  const member = slack.on("team_join", {
    ...place,
    pick: ["event.user.id", "event.user.name", "event.user.real_name"],
  });
  expectTypeOf<Covers<typeof member, TeamJoinEvent>>().toEqualTypeOf<true>();

  // @ts-expect-error a reaction is no mention
  expectTypeOf<Covers<typeof mention, ReactionAddedEvent>>().toEqualTypeOf<true>();
});
