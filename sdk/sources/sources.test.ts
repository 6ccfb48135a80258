import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { github } from "./github/index.ts";
import { events } from "./github/event-data.ts";
import { shopify } from "./shopify/index.ts";
import { slack } from "./slack/index.ts";
import { stripe } from "./stripe/index.ts";
import { twilio } from "./twilio/index.ts";

const secret = "a secret of at least sixteen characters";
type Conditions = { request: unknown; event?: unknown };
/** Whether a body is one of the events, in the expected form. */
const accepts = (source: Conditions, body: unknown) =>
  selects(source, body) && (source.request as z.ZodType).safeParse(body).success;
/** Whether a body is one of the events, in any form. */
const selects = ({ event }: Conditions, body: unknown) =>
  event === undefined || (event as z.ZodType).safeParse(body).success;
/** The payload that forms show. */
const exampleOf = (source: { request: unknown }) => (source.request as z.ZodType).meta()?.["examples"] as unknown[];

const on = (event: string, pick: string[]) => () =>
  github.on(event as "push", { slug: "a", endpoint: "a", pick: pick as ["ref"] });

describe("github.on", () => {
  const source = github.on("issues.opened", {
    slug: "issue-opened",
    endpoint: "github",
    secret,
    pick: ["issue.number", "issue.title", "issue.labels[].name", "repository.full_name", "issue.milestone.title"],
  });
  const body = {
    action: "opened",
    issue: { number: 1, title: "Spelling", labels: [{ name: "bug", color: "f29513" }], milestone: null, new_field: 1 },
    repository: { full_name: "octo/hello" },
  };

  it("has the header, the signature and a schema of the picked paths", () => {
    expect(source).toMatchObject({ slug: "issue-opened", endpoint: "github", dedupe: undefined });
    expect(source.verify?.scheme).toBe("github");
    const headers = source.headers as z.ZodType;
    expect(headers.safeParse({ "x-github-event": "issues" }).success).toBe(true);
    expect(headers.safeParse({ "x-github-event": "issue_comment" }).success).toBe(false);
    expect((source.request as z.ZodType).parse(body)).toEqual({
      action: "opened",
      issue: { number: 1, title: "Spelling", labels: [{ name: "bug" }], milestone: null },
      repository: { full_name: "octo/hello" },
    });
  });

  it("rejects another action, a missing picked field and one of another type, and nothing else", () => {
    expect(selects(source, { ...body, action: "closed" })).toBe(false);
    expect(selects(source, { action: "opened", issue: "in another form" })).toBe(true);
    expect(accepts(source, { ...body, issue: { ...body.issue, number: "1" } })).toBe(false);
    expect(accepts(source, { ...body, repository: {} })).toBe(false);
    expect(accepts(source, { ...body, repository: { full_name: "octo/hello", private: "maybe" }, sender: 7 })).toBe(
      true,
    );
  });

  it("without a secret identifies events by GitHub's id", () => {
    const open = github.on("push", { slug: "pushed", endpoint: "github", pick: ["ref"] });
    expect([open.verify, open.dedupe]).toEqual([undefined, { header: "x-github-delivery" }]);
  });

  it("has an example of its payload, which its schema accepts", () => {
    const [example] = exampleOf(source);
    expect(accepts(source, example)).toBe(true);
    expect(example).toMatchObject({ action: "opened", issue: { number: expect.any(Number) } });
    expect(JSON.stringify(example)).not.toContain("color");
  });

  it("accepts GitHub's examples of every event that it knows", () => {
    const load = createRequire(import.meta.url);
    const recorded = load("@octokit/webhooks-examples/api.github.com/index.json") as {
      name: string;
      examples: { action?: string; sender?: { login: string }; repository?: object }[];
    }[];
    let checked = 0;
    for (const { name, examples } of recorded) {
      for (const example of examples) {
        const event = example.action === undefined ? name : `${name}.${example.action}`;
        if (!Object.hasOwn(events, event) || !example.sender || !example.repository) continue;
        const known = github.on(event as "push", {
          slug: "a",
          endpoint: "a",
          pick: ["sender.login", "repository.full_name"],
        });
        expect(accepts(known, example), event).toBe(true);
        checked++;
      }
    }
    expect(checked).toBeGreaterThan(150);
  });

  it("explains an unknown event and an unknown path at run time, too", () => {
    expect(on("issue.opened", [])).toThrow('github.on("issue.opened"): github has no event "issue.opened".');
    expect(on("push", ["head"])).toThrow('github.on("push"): the event has no field head. Fields: after, base_ref');
    expect(on("push", ["repository"])).toThrow("repository is an object. Pick its fields.");
  });
});

describe.each([
  {
    sender: "stripe",
    source: stripe.on("invoice.paid", {
      slug: "a",
      endpoint: "stripe",
      secret,
      pick: ["data.object.id", "data.object.amount_paid", "data.object.hosted_invoice_url", "data.object.metadata"],
    }),
    dedupe: { field: "/id" },
    body: {
      id: "evt_1",
      type: "invoice.paid",
      data: { object: { id: "in_1", amount_paid: 4900, metadata: { order: "7" }, lines: { data: [] } } },
    },
    other: { type: "invoice.voided" },
  },
  {
    sender: "slack",
    source: slack.on("app_mention", {
      slug: "a",
      endpoint: "slack",
      secret,
      pick: ["event.user", "event.text", "team_id"],
    }),
    dedupe: { field: "/event_id" },
    body: {
      type: "event_callback",
      event_id: "Ev1",
      team_id: "T1",
      event: { type: "app_mention", user: "U1", text: "hi", blocks: [] },
    },
    other: { event: { type: "message", user: "U1", text: "hi" } },
  },
  {
    sender: "shopify",
    source: shopify.on("orders/create", {
      slug: "a",
      endpoint: "shopify",
      secret,
      pick: ["name", "line_items[].sku", "customer.email"],
    }),
    dedupe: undefined,
    body: { name: "#1001", line_items: [{ sku: "NB-1" }, { sku: null }], customer: null },
    other: { name: 1001 },
  },
  {
    sender: "twilio",
    source: twilio.on("message.received", {
      slug: "a",
      endpoint: "twilio",
      secret,
      pick: ["From", "Body", "MediaUrl0", "WaId"],
    }),
    dedupe: undefined,
    body: { MessageSid: "SM1", SmsStatus: "received", From: "+14155550100", To: "+14155550199", Body: "hi" },
    other: { SmsStatus: "delivered", MessageStatus: "delivered" },
  },
])("typed sources of $sender", ({ sender, source, dedupe, body, other }) => {
  it("verifies, identifies and selects its events", () => {
    expect([source.verify?.scheme, source.dedupe]).toEqual([sender, dedupe]);
    expect(accepts(source, body)).toBe(true);
    expect(accepts(source, { ...body, ...other })).toBe(false);
    // Shopify names the event in a header.
    expect(selects(source, { ...body, ...other })).toBe(sender === "shopify");
    expect(accepts(source, exampleOf(source)[0])).toBe(true);
  });

  it("skips other events, so that the sender does not disable the endpoint", () => {
    expect(source.onMismatch).toBe("skip");
  });
});

describe("slack.on", () => {
  it("accepts a mention by a bot, which has no user", () => {
    const mention = slack.on("app_mention", { slug: "a", endpoint: "slack", pick: ["event.user", "event.bot_id"] });
    const event = { type: "app_mention", bot_id: "B1", text: "hi", ts: "1767225600.000200", channel: "C1" };
    expect(accepts(mention, { type: "event_callback", event_id: "Ev1", event })).toBe(true);
  });
});

const onTwilio = (event: string) => twilio.on(event as "call.completed", { slug: "a", endpoint: "twilio", pick: [] });

describe("twilio.on", () => {
  it("accepts forms, and responds with an empty TwiML document", () => {
    expect(onTwilio("call.completed")).toMatchObject({
      body: "form",
      reply: { body: "<Response/>", headers: { "content-type": "text/xml" } },
      dedupe: { header: "i-twilio-idempotency-token" },
      verify: undefined,
    });
  });

  it.each([
    ["message.delivered", { MessageStatus: "delivered", SmsStatus: "delivered" }],
    ["call.no-answer", { CallStatus: "no-answer" }],
    ["recording.completed", { RecordingStatus: "completed" }],
  ])("%s is selected by its status", (event, body) => {
    expect(accepts(onTwilio(event), body)).toBe(true);
    expect(selects(onTwilio(event), Object.fromEntries(Object.keys(body).map((name) => [name, "other"])))).toBe(false);
    expect(selects(onTwilio(event), {})).toBe(false);
  });
});
