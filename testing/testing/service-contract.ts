import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import type { TestDelivery, TestRun } from "../../sdk/test-project/index.ts";

/** A request and everything that follows from it, without ids and times. */
interface Observed {
  status: number;
  response: unknown;
  outcome: TestDelivery["outcome"];
  /** `trigger: outcome`, with the paths of the reasons. */
  verdicts: string[];
  runs: ObservedRun[];
}

export interface ObservedRun extends Pick<TestRun, "trigger" | "status" | "attempt" | "input" | "output"> {
  error: string | null;
  /** `step name`, with the number of tries if there are several. */
  steps: string[];
  logs: string[];
}

interface ContractRequest {
  endpoint: string;
  headers?: Record<string, string>;
  /** With GET, the body is the query. Default: POST. */
  method?: "GET";
  query?: Record<string, string>;
  body: string;
}

/** Sends a request, and waits until its runs have ended. */
export type Send = (request: ContractRequest) => Promise<Observed>;

export const contractSecret = "a secret of the contract suite";

const json = (endpoint: string, body: unknown, headers: Record<string, string> = {}): ContractRequest => ({
  endpoint,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

const problem = (code: string) => expect.objectContaining({ code, type: `/errors/${code}` });
const accepted = (...triggers: string[]) => ({
  ok: true,
  runId: "run",
  runs: triggers.map((trigger) => ({ runId: "run", trigger, target: expect.anything() })),
});

/** What a project does in a test, it does in the service. `open` is called once for each test. */
export function serviceContract(open: () => Promise<Send>): void {
  it("every trigger on an endpoint decides, and each match has a run with steps, a sleep and logs", async () => {
    const send = await open();
    expect(await send(json("orders", { type: "paid", id: " o-1 ", cents: 4900 }))).toEqual({
      status: 202,
      response: accepted("every-order", "paid-order"),
      outcome: "accepted",
      verdicts: ["every-order: matched", "paid-order: matched", "refunded-order: filter_mismatch /type"],
      runs: [
        {
          trigger: "every-order",
          status: "completed",
          attempt: 1,
          input: { id: "o-1", cents: 4900 },
          output: { charged: 4900, email: "none" },
          error: null,
          steps: ["step charge", "sleep settle", "step charge#2"],
          logs: ["charged 4900"],
        },
        {
          trigger: "paid-order",
          status: "completed",
          attempt: 1,
          input: { id: "o-1", cents: 1 },
          output: { charged: 1, email: "none" },
          error: null,
          steps: ["step charge", "sleep settle", "step charge#2"],
          logs: ["charged 1"],
        },
      ],
    });
  });

  it("a body that no trigger matches is skipped on a shared endpoint, and rejected on one with a single trigger", async () => {
    const send = await open();
    expect(await send(json("orders", { type: "lost" }))).toEqual({
      status: 200,
      response: { ok: true, skipped: true },
      outcome: "skipped",
      verdicts: [
        "every-order: request_mismatch /cents /id /type",
        "paid-order: request_mismatch /cents /id /type",
        "refunded-order: request_mismatch /cents /id /type",
      ],
      runs: [],
    });
    expect(await send(json("flaky", { failures: "2" }))).toMatchObject({
      status: 422,
      response: expect.objectContaining({
        code: "request_mismatch",
        errors: [expect.objectContaining({ pointer: "/failures" })],
      }),
      outcome: "rejected",
      verdicts: ["flaky: request_mismatch /failures"],
      runs: [],
    });
  });

  it.each([
    ["an unknown endpoint", json("ordres", {}), 404, "unknown_endpoint"],
    ["invalid JSON", { ...json("orders", {}), body: "{" }, 400, "invalid_json"],
    [
      "another format",
      { endpoint: "orders", headers: { "content-type": "text/plain" }, body: "hi" },
      415,
      "unsupported_media_type",
    ],
    [
      "a signature of another secret",
      sign({ action: "opened" }, "another secret of a sender"),
      401,
      "invalid_signature",
    ],
  ])("%s is rejected", async (_, request, status, code) => {
    const send = await open();
    expect(await send(request)).toEqual({
      status,
      response: problem(code),
      outcome: "rejected",
      verdicts: [],
      runs: [],
    });
  });

  it("a signed request is verified, and its headers select the trigger", async () => {
    const send = await open();
    const signed = sign({ action: "opened" }, contractSecret);
    const headers = { ...signed.headers, "x-github-event": "issues" };
    expect(await send({ ...signed, headers })).toMatchObject({
      status: 202,
      verdicts: ["issue: matched"],
      runs: [{ output: "issues" }],
    });
    const other = sign({ action: "closed" }, contractSecret);
    expect(await send({ ...other, headers: { ...other.headers, "x-github-event": "push" } })).toMatchObject({
      status: 200,
      verdicts: ["issue: headers_mismatch /x-github-event"],
    });
  });

  it("a repeat gets the first response and starts nothing; the same key with another body is a conflict", async () => {
    const send = await open();
    const headers = { "idempotency-key": `evt-${process.pid}-1` };
    const first = await send(json("flaky", { failures: 0 }, headers));
    expect(first).toMatchObject({ status: 202, outcome: "accepted", runs: [{ status: "completed" }] });
    expect(await send(json("flaky", { failures: 0 }, headers))).toMatchObject({
      status: 202,
      response: first.response,
      outcome: "repeated",
      runs: [],
    });
    expect(await send(json("flaky", { failures: 1 }, headers))).toMatchObject({
      status: 422,
      response: problem("idempotency_conflict"),
    });
  });

  it("attempts and steps are tried again, as their options say", async () => {
    const send = await open();
    expect((await send(json("flaky", { failures: 1 }))).runs).toEqual([
      {
        trigger: "flaky",
        status: "completed",
        attempt: 2,
        input: { failures: 1 },
        output: "attempt 2",
        error: null,
        steps: ["step first", "step call (3 tries)"],
        logs: ["attempt 1", "attempt 2"],
      },
    ]);
    expect((await send(json("flaky", { failures: 9 }))).runs).toMatchObject([
      { status: "failed", attempt: 3, output: null, error: "Error: attempt 3 failed" },
    ]);
  });

  it.each([
    ["transform", "failed", "TransformFailed", []],
    ["input", "failed", "InvalidInput", []],
    ["output", "failed", "InvalidOutput", []],
    ["bigint", "failed", "NotJson", ["step bigint"]],
    ["step-timeout", "failed", "StepTimedOut", ["step hang"]],
    ["final", "failed", "NonRetryableError", []],
  ])("a run fails by its %s", async (fault, status, name, steps) => {
    const send = await open();
    expect((await send(json("faults", { fault }))).runs).toMatchObject([
      { status, attempt: 1, output: null, error: expect.stringContaining(name), steps },
    ]);
  });

  it("child runs are called at the same time, and a failed one is an error that the code can catch", async () => {
    const send = await open();
    expect((await send(json("families", { cents: [1, 2] }))).runs).toEqual([
      {
        trigger: "family",
        status: "completed",
        attempt: 1,
        input: { cents: [1, 2] },
        output: { charged: [1, 2], failed: "failed InvalidOutput", hasStarted: true },
        error: null,
        steps: ["child charge 1", "child charge 2", "child fault", "child note"],
        logs: [],
      },
    ]);
  });

  it("forms are parsed, a mismatch is held, and a fixed reply is sent", async () => {
    const send = await open();
    const form = { "content-type": "application/x-www-form-urlencoded" };
    expect(await send({ endpoint: "forms", headers: form, body: "name=Ada&tag=a&tag=b" })).toMatchObject({
      status: 201,
      response: "<ok/>",
      outcome: "accepted",
      runs: [{ input: { name: "Ada", tag: ["a", "b"] }, output: "Ada a,b" }],
    });
    expect(await send({ endpoint: "forms", headers: form, body: "nome=Ada" })).toMatchObject({
      status: 201,
      outcome: "held",
      verdicts: ["form: request_mismatch /name /tag"],
    });
  });

  it("the query is the body of a GET, and transforms get the query of a POST", async () => {
    const send = await open();
    expect(await send({ endpoint: "sms", method: "GET", body: "name=Ada&tag=a&tag=b" })).toMatchObject({
      status: 202,
      runs: [{ input: { name: "Ada", tag: ["a", "b"] }, output: "Ada a,b" }],
    });
    expect(await send({ endpoint: "sms", method: "GET", body: "name=Ada" })).toMatchObject({
      status: 422,
      verdicts: ["sms: request_mismatch /tag"],
    });
    expect(await send({ ...json("ping", { name: "Ada" }), query: { tag: "a" } })).toMatchObject({
      status: 202,
      runs: [{ input: { name: "Ada", tag: ["a"] } }],
    });
    expect(await send(json("ping", { name: "Ada" }))).toMatchObject({
      status: 200,
      verdicts: ["ping: query_mismatch /tag"],
    });
  });

  it("an agent calls its tool and answers", async () => {
    const send = await open();
    expect((await send(json("tickets", { text: "Where is o-1?" }))).runs).toMatchObject([
      { trigger: "ticket", status: "completed", output: { answer: "It is shipped." }, error: null },
    ]);
  });
}

function sign(body: unknown, secret: string): ContractRequest {
  const text = JSON.stringify(body);
  const signature = `sha256=${createHmac("sha256", secret).update(text).digest("hex")}`;
  return {
    endpoint: "github",
    headers: { "content-type": "application/json", "x-hub-signature-256": signature },
    body: text,
  };
}

/** Replaces ids, which differ. */
export function withoutIds(response: unknown): unknown {
  return JSON.parse(JSON.stringify(response).replaceAll(/run_\w+/g, "run"));
}

export function describeVerdicts(verdicts: TestDelivery["verdicts"]): string[] {
  return verdicts.map(({ trigger, outcome, reasons }) =>
    [`${trigger}: ${outcome}`, ...reasons.map(({ pointer }) => pointer).sort()].join(" "),
  );
}

const order = `z.object({ type: z.enum(["paid", "refunded"]), id: z.string().trim(), cents: z.int() })`;
const imports = (target: string) => `import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import target from "../${target}";
`;
const orderTrigger = (slug: string, more: string, cents: string) => `${imports("workflows/charge")}
export default defineWebhookSource({ slug: "${slug}", endpoint: "orders", request: ${order}, ${more} }).attach({
  workflow: target,
  transform: ({ id, cents }) => ({ id, cents: ${cents} }),
});
`;
const workflowImports = `import { defineWorkflow, NonRetryableError } from "signalbox/workflow";
import { z } from "zod";
`;

/** The project of the contract. Its delays are short, because the service waits for real. */
export const contractProject: Record<string, string> = {
  "triggers/every-order.ts": orderTrigger("every-order", "", "cents"),
  "triggers/paid-order.ts": orderTrigger("paid-order", `filter: z.object({ type: z.literal("paid") })`, "1"),
  "triggers/refunded-order.ts": orderTrigger(
    "refunded-order",
    `filter: z.object({ type: z.literal("refunded") })`,
    "cents",
  ),
  "workflows/charge.ts": `${workflowImports}
export default defineWorkflow({
  slug: "charge",
  input: z.object({ id: z.string(), cents: z.int() }),
  output: z.object({ charged: z.int(), email: z.string().default("none") }),
  async run({ cents }, ctx) {
    const charged = await ctx.step("charge", () => cents);
    ctx.log.info(\`charged \${charged}\`);
    await ctx.sleep("settle", "20ms");
    await ctx.step("charge", () => new Date(0));
    return { charged } as { charged: number; email: string };
  },
});
`,
  "triggers/issue.ts": `${imports("workflows/event")}import { github } from "signalbox/verify";
export default defineWebhookSource({
  slug: "issue",
  endpoint: "github",
  headers: z.object({ "x-github-event": z.literal("issues") }),
  request: z.object({ action: z.string() }),
  verify: github({ secret: process.env.CONTRACT_SECRET }),
}).attach({
  workflow: target,
  transform: (_, { headers }) => ({ event: headers["x-github-event"] ?? "" }),
});
`,
  "workflows/event.ts": `${workflowImports}
export default defineWorkflow({ slug: "event", input: z.object({ event: z.string() }), run: ({ event }) => event });
`,
  "triggers/flaky.ts": `${imports("workflows/flaky")}
export default defineWebhookSource({ slug: "flaky", endpoint: "flaky", request: z.object({ failures: z.int() }) }).attach({
  workflow: target,
});
`,
  "workflows/flaky.ts": `${workflowImports}
const tries = new Map<string, number>();
export default defineWorkflow({
  slug: "flaky",
  input: z.object({ failures: z.int() }),
  retries: { attempts: 3, backoff: "fixed", initialDelay: "10ms" },
  async run({ failures }, ctx) {
    await ctx.step("first", () => 1);
    ctx.log.info(\`attempt \${ctx.run.attempt}\`);
    await ctx.step("call", { retries: 5, backoff: "fixed", initialDelay: "10ms" }, ({ idempotencyKey }) => {
      const tried = (tries.get(idempotencyKey) ?? 0) + 1;
      tries.set(idempotencyKey, tried);
      if (tried < 3) throw new Error("busy");
    });
    if (ctx.run.attempt <= failures) throw new Error(\`attempt \${ctx.run.attempt} failed\`);
    return \`attempt \${ctx.run.attempt}\`;
  },
});
`,
  "triggers/fault.ts": `${imports("workflows/fault")}
export default defineWebhookSource({ slug: "fault", endpoint: "faults", request: z.object({ fault: z.string() }) }).attach({
  workflow: target,
  transform: ({ fault }) => {
    if (fault === "transform") throw new Error("no such order");
    return { fault: fault === "input" ? "" : fault };
  },
});
`,
  "workflows/fault.ts": `${workflowImports}
export default defineWorkflow({
  slug: "fault",
  input: z.object({ fault: z.string().min(1) }),
  output: z.string(),
  retries: { attempts: 1 },
  async run({ fault }, ctx) {
    if (fault === "bigint") await ctx.step("bigint", () => 1n as never);
    if (fault === "step-timeout") await ctx.step("hang", { timeout: "20ms" }, () => new Promise(() => {}));
    if (fault === "final") throw new NonRetryableError("the account is closed");
    return 7 as never;
  },
});
`,
  "triggers/family.ts": `${imports("workflows/family")}
export default defineWebhookSource({ slug: "family", endpoint: "families", request: z.object({ cents: z.array(z.int()) }) }).attach({
  workflow: target,
});
`,
  "workflows/family.ts": `${workflowImports}
import { ChildRunError } from "signalbox/workflow";
import charge from "./charge";
import event from "./event";
import fault from "./fault";
export default defineWorkflow({
  slug: "family",
  input: z.object({ cents: z.array(z.int()) }),
  async run({ cents }, ctx) {
    const charges = await Promise.all(cents.map((each) => ctx.call(\`charge \${each}\`, charge, { id: "o-1", cents: each })));
    const failed = await ctx.call("fault", fault, { fault: "output" }).catch((error: unknown) => {
      if (!(error instanceof ChildRunError)) throw error;
      return \`\${error.status} \${error.error?.name}\`;
    });
    const { id } = await ctx.start("note", event, { event: "charged" });
    return { charged: charges.map(({ charged }) => charged), failed, hasStarted: id.startsWith("run_") };
  },
});
`,
  "triggers/form.ts": `import { defineEndpoint } from "signalbox/trigger";
import { z } from "zod";
import target from "../workflows/form";
export default defineEndpoint({
  endpoint: "forms",
  body: "form",
  onMismatch: "hold",
  reply: { status: 201, body: "<ok/>", headers: { "content-type": "text/xml" } },
})
  .source({ slug: "form", request: z.object({ name: z.string(), tag: z.array(z.string()) }) })
  .attach({ workflow: target });
`,
  "workflows/form.ts": `${workflowImports}
export default defineWorkflow({
  slug: "form",
  input: z.object({ name: z.string(), tag: z.array(z.string()) }),
  run: ({ name, tag }) => \`\${name} \${tag}\`,
});
`,
  "triggers/ping.ts": `import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import target from "../workflows/form";
export default defineWebhookSource({ slug: "ping", endpoint: "ping", request: z.object({ name: z.string() }), query: z.object({ tag: z.array(z.string()) }) }).attach({
  workflow: target,
  transform: ({ name }, { query }) => ({ name, tag: [...(query.tag ?? [])] }),
});
`,
  "triggers/sms.ts": `import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import target from "../workflows/form";
export default defineWebhookSource({
  slug: "sms",
  endpoint: "sms",
  methods: ["GET"],
  request: z.object({ name: z.string(), tag: z.array(z.string()) }),
}).attach({ workflow: target });
`,
  "agents/support.ts": `import { defineAgent, defineTool, scriptedModel } from "signalbox/agent";
import { z } from "zod";
export default defineAgent({
  slug: "support",
  model: scriptedModel({
    answers: ({ results: [found] }) =>
      found ? { output: { answer: \`It is \${found.output}.\` } } : { calls: [{ tool: "find", input: { order: "o-1" } }] },
  }),
  instructions: "Answer.",
  tools: { find: defineTool({ description: "Finds an order", inputSchema: z.object({ order: z.string() }), execute: () => "shipped" }) },
  output: z.object({ answer: z.string() }),
});
`,
  "triggers/ticket.ts": `${imports("agents/support")}
export default defineWebhookSource({ slug: "ticket", endpoint: "tickets", request: z.object({ text: z.string() }) }).attach({
  agent: target,
  prompt: "{{ text }}",
});
`,
};
