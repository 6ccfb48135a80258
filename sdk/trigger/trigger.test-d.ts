import { z } from "zod";
import * as mini from "zod/mini";
import { z as z3 } from "zod/v3";
import * as mini4 from "zod/v4-mini";
import {
  defineEndpoint,
  defineWebhookSource,
  type Endpoint,
  type TransformContext,
  type Trigger,
  type WebhookSource,
} from "signalbox/trigger";
import { defineWorkflow, type Workflow } from "signalbox/workflow";
import { type Equal, expectTrue } from "../testing/exact-type.ts";

const welcome = defineWorkflow({
  slug: "welcome",
  input: z.object({ to: z.string(), name: z.string().optional() }),
  run: () => "sent",
});

const signup = defineWebhookSource({
  slug: "new-signup",
  endpoint: "signup",
  request: z.object({
    name: z.string().trim(),
    email: z.email(),
    plan: z.enum(["free", "pro"]).default("free"),
    tags: z.array(z.string()),
  }),
  filter: z.object({ email: z.string() }),
});

interface Payload {
  name: string;
  email: string;
  plan: "free" | "pro";
  tags: string[];
}

// The payload is the output type of `request`, not its input type; slugs stay literal.
const attached = signup.attach({
  workflow: welcome,
  transform: (payload) => {
    expectTrue<Equal<typeof payload, Payload>>();
    return { to: payload.email };
  },
});
expectTrue<Equal<typeof signup, WebhookSource<"new-signup", Payload>>>();
expectTrue<Equal<typeof attached, Trigger<"new-signup", Payload, typeof welcome>>>();
expectTrue<Equal<typeof attached.source.slug, "new-signup">>();
expectTrue<Equal<typeof attached.target.slug, "welcome">>();

// The transform's second argument has the headers, those of the schema with its types, and the delivery.
const issues = defineWebhookSource({
  slug: "issues",
  endpoint: "github",
  request: z.object({ action: z.string() }),
  headers: z.object({
    "x-github-event": z.enum(["issues", "issue_comment"]),
    "x-topic": z.array(z.string()),
    "x-attempt": z.string().optional(),
  }),
});
issues.attach({
  workflow: welcome,
  transform: (payload, { headers, deliveryId, receivedAt, endpoint }) => {
    expectTrue<Equal<typeof payload, { action: string }>>();
    expectTrue<Equal<(typeof headers)["x-github-event"], "issues" | "issue_comment" | undefined>>();
    expectTrue<Equal<(typeof headers)["user-agent"], string | readonly string[] | undefined>>();
    expectTrue<Equal<typeof deliveryId, string | null>>();
    expectTrue<Equal<typeof receivedAt, string>>();
    return { to: endpoint, name: headers["x-topic"]?.join() };
  },
});
// The query has the types of its schema, of the source or of the endpoint.
const orders = defineWebhookSource({
  slug: "orders",
  endpoint: "orders",
  request: z.object({ id: z.string() }),
  query: z.object({ topic: z.enum(["orders", "refunds"]), tag: z.array(z.string()) }),
});
orders.attach({
  workflow: welcome,
  transform: ({ id }, { headers, query }) => {
    expectTrue<Equal<(typeof query)["topic"], "orders" | "refunds" | undefined>>();
    expectTrue<Equal<(typeof query)["tag"], readonly string[] | undefined>>();
    expectTrue<Equal<(typeof query)["other"], string | readonly string[] | undefined>>();
    expectTrue<Equal<(typeof headers)["x-topic"], string | readonly string[] | undefined>>();
    return { to: id };
  },
});
defineWebhookSource({
  slug: "numbers",
  endpoint: "numbers",
  request: z.object({}),
  // @ts-expect-error The parameter page is a string, or an array of strings if it is repeated: convert it in transform
  query: z.object({ page: z.number() }),
});
defineEndpoint({ endpoint: "shared", query: z.object({ topic: z.literal("a") }) })
  .source({ slug: "shared", request: z.object({ id: z.string() }) })
  .attach({
    workflow: welcome,
    transform: ({ id }, { query }) => {
      expectTrue<Equal<(typeof query)["topic"], "a" | undefined>>();
      return { to: id };
    },
  });
signup.attach({ workflow: welcome, key: { field: "/email" }, transform: ({ email }) => ({ to: email }) });
signup.attach({
  workflow: welcome,
  key: [{ header: "x-account" }, { field: "name" }],
  transform: ({ email }) => ({ to: email }),
});
// @ts-expect-error A value of a key is a field or a header.
signup.attach({ workflow: welcome, key: { field: "/email", header: "x" }, transform: ({ email }) => ({ to: email }) });
signup.attach({
  workflow: welcome,
  // @ts-expect-error At most three values make a key.
  key: [{ field: "/a" }, { field: "/b" }, { field: "/c" }, { field: "/d" }],
  transform: ({ email }) => ({ to: email }),
});
signup.attach({
  workflow: welcome,
  transform: ({ email }, context) => {
    expectTrue<Equal<typeof context, TransformContext>>();
    return { to: email };
  },
});
defineWebhookSource({
  slug: "three",
  endpoint: "three",
  request: z3.object({}),
  headers: z3.object({ "x-event": z3.literal("a") }),
});
defineWebhookSource({
  slug: "mini",
  endpoint: "mini",
  request: mini.object({}),
  headers: mini.union([mini.object({ "x-a": mini.string() }), mini.object({ "x-b": mini.string() })]),
});

// An endpoint is defined once; its sources have its headers, or their own.
const github = defineEndpoint({
  endpoint: "github",
  headers: z.object({ "x-github-event": z.enum(["issues", "push"]) }),
  onMismatch: "skip",
  reply: { status: 204 },
});
github.source({ slug: "any", request: z.object({ id: z.string() }) }).attach({
  workflow: welcome,
  transform: (payload, { headers }) => {
    expectTrue<Equal<typeof payload, { id: string }>>();
    expectTrue<Equal<(typeof headers)["x-github-event"], "issues" | "push" | undefined>>();
    return { to: payload.id };
  },
});
const pushed = github.source({
  slug: "pushed",
  request: z.object({ ref: z.string() }),
  headers: z.object({ "x-github-event": z.literal("push") }),
});
expectTrue<Equal<typeof pushed, WebhookSource<"pushed", { ref: string }, { "x-github-event": "push" }>>>();
const plainEndpoint = defineEndpoint({ endpoint: "plain" });
defineEndpoint({ endpoint: "held", onMismatch: "hold" });
const responding = { slug: "responding", endpoint: "responding", request: z.object({ id: z.string() }) };
defineWebhookSource({ ...responding, onMismatch: "skip", reply: { body: "ok" } });
defineWebhookSource({ ...responding, reply: { accepted: { body: { text: "On it" } }, rejected: {} } });
// @ts-expect-error: one response for all outcomes, or one for each
defineWebhookSource({ ...responding, reply: { status: 200, accepted: { body: "On it" } } });
// @ts-expect-error: a rejection keeps the status of its problem
defineWebhookSource({ ...responding, reply: { rejected: { status: 200 } } });
// @ts-expect-error: no such outcome
defineWebhookSource({ ...responding, reply: { failed: { body: "no" } } });
expectTrue<Equal<typeof plainEndpoint, Endpoint>>();

// A transform can be async, and can be a function defined elsewhere.
signup.attach({ workflow: welcome, transform: async (payload) => ({ to: payload.email, name: payload.name }) });
const toInput = (payload: { email: string }) => ({ to: payload.email, extra: 1 });
signup.attach({ workflow: welcome, transform: toInput });
signup.attach({
  workflow: welcome,
  transform: () => {
    throw new Error("Not written yet");
  },
});

const parsed: any = JSON.parse("{}"); // oxlint-disable-line typescript/no-explicit-any
signup.attach({ workflow: welcome, transform: () => parsed });

// A transform can pass additional payload fields along; the input ignores them.
signup.attach({ workflow: welcome, transform: (payload) => ({ ...payload, to: payload.email }) });
const order = defineWebhookSource({
  slug: "order",
  endpoint: "order",
  request: z.object({ customer: z.object({ to: z.string(), vip: z.boolean() }) }),
});
order.attach({ workflow: welcome, transform: (payload) => payload.customer });
order.attach({ workflow: welcome, transform: ({ customer }) => ({ ...customer, name: "Ada" }) });

// Several returns, literals and lists are taken as the input's types, not widened.
const notify = defineWorkflow({
  slug: "notify",
  input: z.object({
    level: z.enum(["info", "alarm"]),
    to: z.array(z.string()),
    span: z.tuple([z.number(), z.number()]).optional(),
    by: z
      .discriminatedUnion("kind", [
        z.object({ kind: z.literal("mail"), at: z.string() }),
        z.object({ kind: z.literal("chat"), room: z.string() }),
      ])
      .optional(),
  }),
  run() {},
});
signup.attach({
  workflow: notify,
  transform(payload) {
    if (payload.plan === "pro")
      return { level: "alarm", to: ["a", payload.email], span: [1, 2], by: { kind: "mail", at: payload.email } };
    return { level: "info", to: payload.tags.map((tag) => `${tag}@example.com`) };
  },
});
signup.attach({
  workflow: notify,
  transform: async ({ tags }) => (tags.length > 1 ? { level: "info", to: tags } : { level: "alarm", to: [] }),
});

// Without a transform, a matching payload is accepted, even with additional fields or missing fields that have defaults.
const greet = defineWorkflow({
  slug: "greet",
  input: z.object({ name: z.string(), locale: z.string().default("en") }),
  run: (input) => input.locale,
});
const greeting = signup.attach({ workflow: greet });
const greetingAgain = defineWebhookSource({
  slug: "other",
  endpoint: "other",
  request: z.object({ name: z.string() }),
}).attach({ workflow: greet });
// A target that triggers share keeps its type.
expectTrue<Equal<typeof greeting.target, typeof greetingAgain.target>>();
expectTrue<Equal<typeof greet, Workflow<"greet", { name: string; locale?: string | undefined }, string>>>();

// An input of type unknown accepts any payload.
const log = defineWorkflow({ slug: "log", input: z.json(), run() {} });
const keep = defineWorkflow({ slug: "keep", input: z.unknown(), run: (input) => input });
signup.attach({ workflow: keep });
signup.attach({ workflow: keep, transform: (payload) => [payload.name, 1] });
signup.attach({ workflow: log, transform: ({ name }) => ({ anything: [name, { deep: null }] }) });
const counts = defineWorkflow({ slug: "counts", input: z.record(z.string(), z.number()), run() {} });
signup.attach({ workflow: counts, transform: ({ tags }) => ({ [tags[0] ?? "none"]: 1, all: tags.length }) });
defineWebhookSource({ slug: "any", endpoint: "any", request: z.looseObject({}) }).attach({
  workflow: log,
  transform: (payload) => ({ keys: Object.keys(payload) }),
});

// Every Zod: 3, mini, and mixed in one trigger.
const three = defineWebhookSource({
  slug: "three",
  endpoint: "three",
  request: z3.object({ id: z3.string(), n: z3.number().default(1), brand: z3.string().brand("b").optional() }),
});
three.attach({
  workflow: welcome,
  transform: (payload) => {
    expectTrue<Equal<typeof payload.n, number>>();
    return { to: payload.id };
  },
});
const inThree = defineWorkflow({
  slug: "in-three",
  input: z3.object({ id: z3.string(), n: z3.number().default(1) }),
  output: z3.object({ ok: z3.boolean().default(true) }),
  run(input) {
    expectTrue<Equal<typeof input, { id: string; n: number }>>();
    return {};
  },
});
expectTrue<Equal<typeof inThree, Workflow<"in-three", { id: string; n?: number | undefined }, { ok: boolean }>>>();
signup.attach({ workflow: inThree, transform: (payload) => ({ id: payload.name }) });
three.attach({ workflow: inThree });
const count = mini.prefault(mini.number(), 1);
const small = defineWebhookSource({
  slug: "small",
  endpoint: "small",
  request: mini.object({ id: mini.string(), n: count }),
  filter: z3.object({}),
});
small.attach({ workflow: inThree });
defineWebhookSource({ slug: "small-four", endpoint: "small", request: mini4.object({ to: mini4.string() }) }).attach({
  workflow: welcome,
});

// A payload that is a readonly list fits an input that only reads it.
defineWebhookSource({
  slug: "list",
  endpoint: "list",
  request: z.object({ ids: z.array(z.string()).readonly() }),
}).attach({
  workflow: defineWorkflow({ slug: "ids", input: z.object({ ids: z.array(z.string()) }), run() {} }),
});

// A schema that refers to itself.
const Tree = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree);
  },
});
const tree = defineWorkflow({ slug: "tree", input: Tree, run: (input) => input.children[0]?.children.length ?? 0 });
defineWebhookSource({ slug: "tree", endpoint: "tree", request: Tree }).attach({ workflow: tree });
signup.attach({ workflow: tree, transform: ({ name }) => ({ name, children: [{ name, children: [] }] }) });

// ---- each of these lines must be an error ----

// @ts-expect-error the payload has no `to`
signup.attach({ workflow: welcome });
signup.attach({
  workflow: welcome,
  // @ts-expect-error `to` is missing
  transform: (payload) => ({ name: payload.name }),
});
signup.attach({
  workflow: welcome,
  // @ts-expect-error `to` is a number
  transform: () => ({ to: 1 }),
});
signup.attach({
  workflow: welcome,
  // @ts-expect-error `nmae` is no field of the input
  transform: (payload) => ({ to: payload.email, nmae: payload.name }),
});
signup.attach({
  workflow: welcome,
  // @ts-expect-error `nmae` is no field of the input
  transform: async (payload) => ({ to: payload.email, nmae: payload.name }),
});
signup.attach({
  workflow: welcome,
  // @ts-expect-error the payload has no `emial`
  transform: (payload) => ({ to: payload.emial }),
});
signup.attach({
  workflow: welcome,
  // @ts-expect-error nothing is returned
  transform: () => {},
});
signup.attach({
  workflow: welcome,
  // @ts-expect-error async, and a wrong type
  transform: async () => ({ to: 1 }),
});
signup.attach({
  workflow: notify,
  // @ts-expect-error `loud` is no level
  transform: () => ({ level: "loud", to: [] }),
});
// @ts-expect-error a workflow is not a string
signup.attach({ workflow: "welcome", transform: () => ({}) });
// @ts-expect-error nothing to start
signup.attach({ transform: () => ({}) });
signup.attach({
  workflow: keep,
  // @ts-expect-error there is no such option
  transfrom: () => 1,
});
// @ts-expect-error `request` is required
defineWebhookSource({ slug: "a", endpoint: "a" });
// @ts-expect-error `endpoint` is required
defineWebhookSource({ slug: "a", request: z.object({}) });
defineWebhookSource({
  slug: "a",
  endpoint: "a",
  // @ts-expect-error not a schema
  request: { name: "string" },
});
defineWebhookSource({
  slug: "a",
  endpoint: "a",
  request: z.object({}),
  // @ts-expect-error a filter is a schema too
  filter: (body: { type: string }) => body.type === "a",
});
