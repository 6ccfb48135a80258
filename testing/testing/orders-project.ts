const source = (
  slug: string,
  { endpoint = slug, request, more = "", target = slug, attach = "" }: Record<string, string>,
) => `import { defineWebhookSource } from "signalbox/trigger";
import { github } from "signalbox/verify";
import { z } from "zod";
import target from "../workflows/${target}";

export default defineWebhookSource({ slug: "${slug}", endpoint: "${endpoint}", request: ${request}, ${more} }).attach({
  workflow: target,
  ${attach}
});
`;

const workflow = (
  slug: string,
  { input, more = "", run }: Record<string, string>,
) => `import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
import { greet } from "../lib/greet";

void greet;

export default defineWorkflow({
  slug: "${slug}",
  input: ${input},
  ${more}
  async run(input, ctx) {
    ${run}
  },
});
`;

const order = `z.object({ type: z.enum(["order.paid", "order.refunded"]), order: z.object({ id: z.string(), email: z.email(), cents: z.int() }) })`;
const onlyOrder = "transform: ({ order }) => order,";
const orderInput = "z.object({ id: z.string(), email: z.email(), cents: z.int() })";

/** A project whose triggers and workflows have all that tests of projects replace, skip and break. */
export const ordersProject: Record<string, string> = {
  "lib/greet.ts": "export const greet = (name: string) => `Hello ${name}`;\n",
  "triggers/order-paid.ts": source("order-paid", {
    endpoint: "orders",
    request: order,
    more: `filter: z.object({ type: z.literal("order.paid") })`,
    target: "fulfil",
    attach: `${onlyOrder} key: { field: "order.id" },`,
  }),
  "triggers/order-refunded.ts": source("order-refunded", {
    endpoint: "orders",
    request: order,
    more: `filter: z.object({ type: z.literal("order.refunded") })`,
    target: "note",
    attach: onlyOrder,
  }),
  "triggers/large-order.ts": source("large-order", {
    endpoint: "orders",
    request: order,
    more: `filter: z.object({ order: z.object({ cents: z.int().min(1_000_000) }) })`,
    target: "note",
    attach: onlyOrder,
  }),
  "workflows/fulfil.ts": workflow("fulfil", {
    input: orderInput,
    run: `const receipt = await ctx.step("charge", () => \`receipt \${input.id} for \${input.cents}\`);
    ctx.log.info("Charged", { cents: input.cents });
    await ctx.sleep("wait for a review", "30d");
    await ctx.step("ask for a review", () => greet(input.email));
    return { receipt };`,
  }),
  "workflows/note.ts": workflow("note", { input: orderInput, run: "return `noted ${input.id}`;" }),
  "triggers/form.ts": source("form", {
    endpoint: "forms",
    request: "z.object({ name: z.string() })",
    more: `body: "form"`,
    target: "greeting",
  }),
  "workflows/greeting.ts": workflow("greeting", {
    input: "z.object({ name: z.string() })",
    run: `return await ctx.step("greet", () => greet(input.name));`,
  }),
  "triggers/issue.ts": source("issue", {
    endpoint: "github",
    request: `z.object({ action: z.enum(["opened", "closed"]), issue: z.object({ number: z.int(), title: z.string() }) })`,
    more: `filter: z.object({ action: z.literal("opened") }), verify: github({ secret: process.env.TEST_PROJECT_SECRET })`,
    target: "greeting",
    attach: "transform: ({ issue }) => ({ name: issue.title }),",
  }),
  "triggers/flaky.ts": source("flaky", { request: "z.object({ failures: z.int(), tries: z.int() })" }),
  "workflows/flaky.ts": workflow("flaky", {
    input: "z.object({ failures: z.int(), tries: z.int() })",
    more: `retries: { attempts: 3, backoff: "fixed", initialDelay: "1m" },
  onFailure: (run, ctx) => ctx.step("report", () => \`reported \${run.error?.message}\`),`,
    run: `let tries = 0;
    await ctx.step("call", { retries: 5, backoff: "fixed", initialDelay: "1s" }, () => {
      tries += 1;
      if (globalThis.flakyTries === undefined) globalThis.flakyTries = input.tries;
      if (globalThis.flakyTries-- > 0) throw new Error("busy");
      globalThis.flakyTries = undefined;
      return tries;
    });
    if (ctx.run.attempt <= input.failures) throw new Error("no connection");
    return \`attempt \${ctx.run.attempt}\`;`,
  }),
  "triggers/charge.ts": source("charge", {
    request: "z.object({ customer: z.string(), fails: z.boolean().default(false) })",
    attach: 'key: { field: "customer" },',
  }),
  "workflows/charge.ts": workflow("charge", {
    input: "z.object({ customer: z.string(), fails: z.boolean() })",
    more: `concurrency: { perKey: 1, onFailure: "block" }, retries: { attempts: 2, backoff: "fixed", initialDelay: "1m" },`,
    run: `if (input.fails) throw new Error("declined");
    await ctx.sleep("settle", "1h");`,
  }),
  "triggers/hang.ts": source("hang", { request: "z.object({})" }),
  "workflows/hang.ts": workflow("hang", {
    input: "z.object({})",
    run: `await ctx.step("wait", ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", resolve)));`,
  }),
  "workflows/renewal.ts": workflow("renewal", {
    input: 'z.object({ customer: z.string(), plan: z.string().default("free") })',
    run: `const found = await ctx.step("find", () => { throw new Error("There is no database in tests."); });
    const charged = await ctx.step("charge", ({ idempotencyKey }) => ({ key: idempotencyKey, plan: input.plan }));
    await Promise.all(["mail", "note"].map((name) => ctx.step(\`send \${name}\`, () => greet(name))));
    return { found, charged };`,
  }),
  "workflows/timed.ts": workflow("timed", {
    input: 'z.object({ kind: z.enum(["name", "output"]) })',
    run: `globalThis.timedCalls = (globalThis.timedCalls ?? 0) + 1;
    await ctx.step("first", () => 1);
    if (input.kind === "name") await ctx.step(\`call \${globalThis.timedCalls}\`, () => 2);
    return input.kind === "output" ? globalThis.timedCalls : null;`,
  }),
  "agents/support.ts": `import { defineAgent, defineTool, scriptedModel } from "signalbox/agent";
import { z } from "zod";

export default defineAgent({
  slug: "support",
  model: scriptedModel({ answers: () => { throw new Error("The model of the project is not for tests."); } }),
  instructions: "Help the customer.",
  tools: {
    refund: defineTool({
      description: "Refunds an order",
      inputSchema: z.object({ order: z.string() }),
      needsApproval: true,
      execute: () => { throw new Error("There is no bank in tests."); },
    }),
  },
  output: z.object({ answer: z.string() }),
});
`,
  "triggers/ticket.ts": `import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import support from "../agents/support";

export default defineWebhookSource({ slug: "ticket", endpoint: "tickets", request: z.object({ text: z.string() }) }).attach({
  agent: support,
  prompt: "New ticket: {{ text }}",
});
`,
};
