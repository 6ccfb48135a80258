import { z } from "zod";
import * as mini from "zod/mini";
import { z as z3 } from "zod/v3";
import { github } from "signalbox/sources/github";
import { defineAgent } from "signalbox/agent";
import { defineEndpoint, defineWebhookSource, type WebhookSource } from "signalbox/trigger";
import { defineWorkflow } from "signalbox/workflow";
import type { Schema } from "../schema.ts";
import { type Equal, expectTrue } from "../testing/exact-type.ts";

type PayloadOf<Source> = Source extends WebhookSource<string, infer Payload, infer _Headers> ? Payload : never;

const keep = defineWorkflow({ slug: "keep", input: z.unknown(), run() {} });

const paid = z.object({ type: z.literal("invoice.paid"), invoice: z.object({ id: z.string(), amount: z.int() }) });
const failed = z.object({
  type: z.literal("invoice.failed"),
  invoice: z.object({ id: z.string() }),
  reason: z.string(),
});
const created = z.object({ type: z.literal("customer.created"), customer: z.object({ email: z.email() }) });
const event = z.discriminatedUnion("type", [paid, failed, created]);

// Of a union, the payload has the members that the filter does not exclude: for `transform` …
const invoicePaid = defineWebhookSource({
  slug: "invoice-paid",
  endpoint: "billing",
  request: event,
  filter: z.object({ type: z.literal("invoice.paid") }),
});
expectTrue<Equal<PayloadOf<typeof invoicePaid>, z.output<typeof paid>>>();
invoicePaid.attach({ workflow: keep, transform: ({ invoice }) => invoice.amount });
// … for `attach` without a transform …
invoicePaid.attach({
  workflow: defineWorkflow({ slug: "book", input: z.object({ invoice: z.object({ amount: z.int() }) }), run() {} }),
});
// … and for a prompt.
const model = { specificationVersion: "v4", provider: "a", modelId: "a", doStream: () => Promise.resolve({}) };
invoicePaid.attach({
  agent: defineAgent({ slug: "chat", model, instructions: "Answer." }),
  prompt: (payload) => `${payload.invoice.amount}`,
});

// Several values, and a union of filters.
const invoices = defineWebhookSource({
  slug: "invoices",
  endpoint: "billing",
  request: event,
  filter: z.object({ type: z.enum(["invoice.paid", "invoice.failed"]) }),
});
expectTrue<Equal<PayloadOf<typeof invoices>, z.output<typeof paid> | z.output<typeof failed>>>();
const either = defineWebhookSource({
  slug: "either",
  endpoint: "billing",
  request: event,
  filter: z.union([
    z.object({ type: z.literal("invoice.paid"), invoice: z.object({ amount: z.int().min(100) }) }),
    z.object({ type: z.literal("customer.created") }),
  ]),
});
expectTrue<Equal<PayloadOf<typeof either>, z.output<typeof paid> | z.output<typeof created>>>();

// At every depth, with enums, booleans, null and optional fields.
const nested = defineWebhookSource({
  slug: "nested",
  endpoint: "nested",
  request: z.object({
    id: z.string(),
    run: z.object({
      name: z.string(),
      conclusion: z.enum(["success", "failure", "timed_out"]).nullable(),
      draft: z.boolean(),
      merged: z.boolean().optional(),
      subject: z.union([
        z.object({ kind: z.literal("issue"), issue: z.int() }),
        z.object({ kind: z.literal("pull"), pull: z.int() }),
      ]),
    }),
    labels: z.array(z.object({ name: z.enum(["bug", "task"]) })),
  }),
  filter: z.object({
    run: z.object({
      conclusion: z.enum(["failure", "timed_out"]),
      draft: z.literal(false),
      merged: z.literal(true),
      subject: z.object({ kind: z.literal("pull") }),
    }),
    labels: z.array(z.object({ name: z.literal("bug") })),
  }),
});
expectTrue<
  Equal<
    PayloadOf<typeof nested>,
    {
      id: string;
      run: {
        name: string;
        conclusion: "failure" | "timed_out";
        draft: false;
        merged: true;
        subject: { kind: "pull"; pull: number };
      };
      labels: { name: "bug" }[];
    }
  >
>();

// Of Zod 3, Zod mini, and both.
const three = z3.discriminatedUnion("type", [
  z3.object({ type: z3.literal("a"), a: z3.string() }),
  z3.object({ type: z3.literal("b"), b: z3.string() }),
]);
const mixed = defineWebhookSource({
  slug: "mixed",
  endpoint: "mixed",
  request: three,
  filter: mini.object({ type: mini.literal("a") }),
});
expectTrue<Equal<PayloadOf<typeof mixed>, { type: "a"; a: string }>>();

// A member that does not name the field may have it in the body, so it stays.
const unnamed = defineWebhookSource({
  slug: "unnamed",
  endpoint: "unnamed",
  request: z.union([z.object({ type: z.literal("a") }), z.object({ id: z.string() })]),
  filter: z.object({ type: z.literal("a") }),
});
expectTrue<Equal<PayloadOf<typeof unnamed>, { type: "a" } | { id: string }>>();

// The filter reads the body as sent: it says nothing of defaults and of the output of pipes.
const changed = defineWebhookSource({
  slug: "changed",
  endpoint: "changed",
  request: z.object({
    plan: z.enum(["free", "pro"]).default("free"),
    tier: z.enum(["free", "pro"]).default("free"),
    event: z
      .string()
      .toLowerCase()
      .pipe(z.enum(["opened", "closed"])),
    text: z.string(),
  }),
  filter: z.object({
    plan: z.literal("pro").optional(),
    tier: z.literal("pro"),
    event: z.literal("OPENED"),
    text: z.literal("a"),
  }),
});
expectTrue<
  Equal<PayloadOf<typeof changed>, { plan: "free" | "pro"; tier: "pro"; event: "opened" | "closed"; text: string }>
>();

// Enums of TypeScript have the values of their literals.
declare enum Kind {
  Opened = "opened",
  Closed = "closed",
}
const ofEnum = defineWebhookSource({
  slug: "of-enum",
  endpoint: "of-enum",
  request: z.object({ kind: z.enum(Kind) }),
  filter: z.object({ kind: z.literal("opened") }),
});
expectTrue<Equal<PayloadOf<typeof ofEnum>, { kind: Kind.Opened }>>();

// Where the request does not say what it has, the filter can say anything.
const open = { slug: "open", endpoint: "open" };
defineWebhookSource({ ...open, request: z.looseObject({ id: z.string() }), filter: z.object({ any: z.literal(1) }) });
defineWebhookSource({ ...open, request: z.record(z.string(), z.int()), filter: z.object({ any: z.literal(1) }) });
defineWebhookSource({ ...open, request: z.json(), filter: z.object({ any: z.literal(1) }) });
defineWebhookSource({ ...open, request: z.unknown(), filter: z.object({ any: z.literal(1) }) });
defineWebhookSource({ ...open, request: z3.object({}).passthrough(), filter: z.object({ any: z.literal(1) }) });
// A field that must be absent is not missing in the request.
defineWebhookSource({ ...open, request: z.object({}), filter: z.object({ deleted: z.never().optional() }) });
// Schemas whose type is not known.
const request: Schema = z.object({ id: z.string() });
const filter: Schema = z.object({ id: z.literal("a") });
expectTrue<Equal<PayloadOf<ReturnType<typeof ofUnknown>>, unknown>>();
const ofUnknown = () => defineWebhookSource({ ...open, request, filter });
const known = defineWebhookSource({ ...open, request: z.object({ id: z.string() }), filter });
expectTrue<Equal<PayloadOf<typeof known>, { id: string }>>();

// A schema that contains itself, on both sides.
interface Tree {
  name: "leaf" | "node";
  children: Tree[];
}
const Node: z.ZodType<Tree, Tree> = z.object({
  name: z.enum(["leaf", "node"]),
  get children() {
    return z.array(Node);
  },
});
const tree = defineWebhookSource({ ...open, request: Node, filter: z.object({ name: z.literal("node") }) });
expectTrue<Equal<PayloadOf<typeof tree>, { name: "node"; children: Tree[] }>>();
defineWebhookSource({ ...open, request: Node, filter: Node });

// On an endpoint, and of a typed source.
const onEndpoint = defineEndpoint({ endpoint: "billing" }).source({
  slug: "created",
  request: event,
  filter: z.object({ type: z.literal("customer.created") }),
});
expectTrue<Equal<PayloadOf<typeof onEndpoint>, z.output<typeof created>>>();
const closed = github.on("issues.closed", {
  slug: "closed",
  endpoint: "github",
  pick: ["issue.number", "issue.state_reason", "repository.private"],
  filter: z.object({ repository: z.object({ private: z.literal(true) }) }),
});
expectTrue<Equal<PayloadOf<typeof closed>["repository"], { private: true }>>();
expectTrue<Equal<PayloadOf<typeof closed>["issue"]["number"], number>>();
