import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { github } from "../../sdk/sources/github/index.ts";
import { shopify } from "../../sdk/sources/shopify/index.ts";
import { slack } from "../../sdk/sources/slack/index.ts";
import { stripe } from "../../sdk/sources/stripe/index.ts";
import { twilio } from "../../sdk/sources/twilio/index.ts";
import type { SourceDefinition } from "../../sdk/definition.ts";
import type { Json } from "../contract/json.ts";
import { fitsSome } from "../shared/deliveries/describe-reason.ts";
import type { AnySchema, TriggerSource } from "../ports/project.ts";
import { evaluateTriggers } from "./match-triggers.ts";

function triggerOf({ slug, endpoint, request, filter, event, headers }: SourceDefinition): TriggerSource {
  return {
    slug,
    endpoint,
    attachmentId: `${slug}:w`,
    target: { kind: "workflow", slug: "w" },
    request: request as AnySchema,
    filter: (filter ?? null) as AnySchema | null,
    event: (event ?? null) as AnySchema | null,
    headers: headers ? { schema: headers as AnySchema, lists: [] } : null,
  };
}

const common = { slug: "a", endpoint: "a" };
/** A source of a sender: an event that it selects, in the expected form and in another one, and other events. */
interface Case {
  sender: string;
  source: SourceDefinition;
  headers: Record<string, string>;
  good: Json;
  broken: Json;
  others: Json[];
}

const cases: Case[] = [
  {
    sender: "github",
    source: github.on("issues.opened", { ...common, pick: ["issue.number"] }),
    headers: { "x-github-event": "issues" },
    good: { action: "opened", issue: { number: 1 } },
    broken: { action: "opened", issue: { number: "1" } },
    others: [{ action: "closed" }, { action: "closed", issue: { number: 1 } }, {}, { action: 1 }],
  },
  {
    sender: "stripe",
    source: stripe.on("invoice.paid", { ...common, pick: ["data.object.amount_paid"] }),
    headers: {},
    good: { id: "evt_1", type: "invoice.paid", data: { object: { amount_paid: 1 } } },
    broken: { id: "evt_1", type: "invoice.paid", data: { object: { amount: 1 } } },
    others: [{ id: "evt_1", type: "customer.created", data: { object: {} } }, {}, { type: null }],
  },
  {
    sender: "slack",
    source: slack.on("app_mention", { ...common, pick: ["event.text"] }),
    headers: {},
    good: { type: "event_callback", event_id: "Ev1", event: { type: "app_mention", text: "hi" } },
    broken: { type: "event_callback", event_id: "Ev1", event: { type: "app_mention" } },
    others: [{ type: "event_callback", event: { type: "message" } }, { type: "app_rate_limited" }, { event: [] }],
  },
  {
    sender: "twilio",
    source: twilio.on("message.delivered", { ...common, pick: ["To"] }),
    headers: {},
    good: { MessageStatus: "delivered", MessageSid: "SM1", To: "+1" },
    broken: { MessageStatus: "delivered" },
    others: [{ MessageStatus: "sent", To: "+1" }, { SmsStatus: "received" }, { CallStatus: "completed" }],
  },
];

const verdictOn = (source: SourceDefinition, body: Json, headers: Record<string, string>) =>
  evaluateTriggers([triggerOf(source)], body, headers)[0]?.verdict;

describe.each(cases)("a typed source of $sender", ({ source, headers, good, broken, others }) => {
  test("is stopped by its filter on other events, for all values of their fields", () => {
    expect(verdictOn(source, good, headers)?.outcome).toBe("matched");
    for (const other of others) {
      const verdict = verdictOn(source, other, headers);
      expect(verdict?.outcome).toBe("filter_mismatch");
      expect(new Set(verdict?.reasons.map(({ code }) => code))).toEqual(new Set(["other_event"]));
      // It says nothing about the rest of the body.
      expect(fitsSome(verdict ? [verdict] : [])).toBe(false);
    }
    fc.assert(
      fc.property(
        fc.jsonValue(),
        (body) => void expect(verdictOn(source, body as Json, headers)?.outcome).toBe("filter_mismatch"),
      ),
      { numRuns: 100 },
    );
  });

  test("reports an event of its own in another form as a mismatch of the request", () => {
    expect(verdictOn(source, broken, headers)?.outcome).toBe("request_mismatch");
  });
});

test("a topic or an event in a header that is another one stops the headers, not the request", () => {
  const order = shopify.on("orders/create", { ...common, pick: ["name"] });
  expect(verdictOn(order, {}, { "x-shopify-topic": "orders/paid" })?.outcome).toBe("headers_mismatch");
  expect(verdictOn(order, {}, { "x-shopify-topic": "orders/create" })?.outcome).toBe("request_mismatch");
  const push = github.on("push", { ...common, pick: ["ref"] });
  expect(verdictOn(push, {}, { "x-github-event": "ping" })?.outcome).toBe("headers_mismatch");
  expect(verdictOn(push, {}, { "x-github-event": "push" })?.outcome).toBe("request_mismatch");
});

test("a filter of the user is evaluated after the request, so it hides no change of the sender", async () => {
  const { z } = await import("zod");
  const source = stripe.on("invoice.paid", {
    ...common,
    pick: ["data.object.amount_paid"],
    filter: z.object({ data: z.object({ object: z.object({ amount_paid: z.int().min(100) }) }) }),
  });
  const outcomeOf = (type: string, object: Json) => {
    const verdict = verdictOn(source, { id: "evt_1", type, data: { object } }, {});
    return [verdict?.outcome, verdict?.reasons[0]?.code ?? null];
  };
  expect(outcomeOf("invoice.paid", { amount_paid: 100 })).toEqual(["matched", null]);
  expect(outcomeOf("invoice.paid", { amount_paid: 99 })).toEqual(["filter_mismatch", "too_small"]);
  expect(outcomeOf("invoice.paid", {})).toEqual(["request_mismatch", "invalid_type"]);
  expect(outcomeOf("invoice.voided", {})).toEqual(["filter_mismatch", "other_event"]);
});
