import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createAnthropic } from "@ai-sdk/anthropic";
import { tool } from "@ai-sdk/provider-utils";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import {
  defineAgent,
  defineTool,
  scriptedModel,
  type Agent,
  type ScriptedAnswer,
  type ModelConversation,
} from "signalbox/agent";
import { defineWebhookSource, type Trigger } from "signalbox/trigger";
import { type Equal, expectTrue } from "../testing/exact-type.ts";

const model = createOpenAICompatible({ name: "local", baseURL: "http://127.0.0.1:1/v1" })("some-model");

// Without `output`, the output is a string; with it, the schema's output type.
const chat = defineAgent({ slug: "chat", model, instructions: "Answer." });
expectTrue<Equal<typeof chat, Agent<"chat", string>>>();
const triage = defineAgent({
  slug: "triage",
  model: createAnthropic()("claude"),
  instructions: "Sort.",
  output: z.object({ queue: z.enum(["bugs", "other"]), urgent: z.boolean().default(false) }),
  tools: {
    // Of the AI SDK, as it is.
    lookup: tool({
      description: "Looks up",
      inputSchema: z.object({ id: z.string() }),
      execute: async ({ id }) => ({ id }),
      needsApproval: true,
    }),
    refund: defineTool({
      description: "Pays back",
      inputSchema: z.object({ cents: z.int().default(0) }),
      needsApproval: ({ cents }) => cents > 100,
      approvalTimeout: "7d",
      execute(input, { idempotencyKey, toolCallId, abortSignal }) {
        expectTrue<Equal<typeof input, { cents: number }>>();
        expectTrue<
          Equal<[typeof idempotencyKey, typeof toolCallId, typeof abortSignal], [string, string, AbortSignal]>
        >();
      },
    }),
    old: defineTool({ description: "Zod 3", inputSchema: z3.object({ a: z3.string() }), execute: ({ a }) => a.length }),
  },
  maxSteps: 3,
  maxToolCalls: { perAnswer: 5, perRun: 50 },
  budget: { tokens: 10_000, usd: 0.5 },
  timeout: "10m",
  callTimeout: "1m",
  concurrency: 2,
  maxQueued: 500,
});
expectTrue<Equal<typeof triage, Agent<"triage", { queue: "bugs" | "other"; urgent: boolean }>>>();

const ticket = defineWebhookSource({
  slug: "ticket",
  endpoint: "ticket",
  request: z.object({
    subject: z.string(),
    customer: z.object({ email: z.email(), name: z.string().optional() }).optional(),
    tags: z.array(z.object({ id: z.int() })),
    more: z.unknown(),
    extra: z.record(z.string(), z.number()),
    by: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
  }),
});

// Paths are those of the payload; the build checks them.
const attached = ticket.attach({
  agent: triage,
  prompt:
    "New ticket from {{ customer.email }} ({{customer.name}}): {{ subject }} {{ tags.0.id }} {{ tags }} {{ more.what.ever }} {{ extra.any }} {{ by.a }}{{ by.b }}",
});
expectTrue<Equal<(typeof attached)["target"], typeof triage>>();
expectTrue<Equal<typeof attached extends Trigger<"ticket"> ? true : false, true>>();
ticket.attach({ agent: chat, prompt: "Nothing of it." });
// With a transform, paths are those of its result.
ticket.attach({
  agent: chat,
  transform: (payload) => ({ from: payload.customer?.email, words: payload.subject.split(" ") }),
  prompt: "{{ from }}: {{ words.0 }}",
});
ticket.attach({ agent: chat, transform: async (payload) => ({ from: payload.customer?.email }), prompt: "{{ from }}" });
// A function gets the same value, and a tag that marks values.
ticket.attach({ agent: chat, prompt: (payload) => payload.subject });
ticket.attach({ agent: chat, prompt: async (payload, text) => text`New: ${payload.subject}` });
ticket.attach({
  agent: chat,
  transform: (payload) => ({ from: payload.subject }),
  prompt(value) {
    expectTrue<Equal<string, typeof value.from>>();
    return value.from;
  },
});
// The paths of a computed string are not checked here.
const written: string = ["{{", "x }}"].join("");
ticket.attach({ agent: chat, prompt: written });

// A scripted model is a model of the AI SDK like any other.
const scripted: typeof model = scriptedModel({
  answers: ["Hello", { calls: [{ tool: "lookup", input: { id: "7" } }] }, { output: { queue: "bugs" } }],
  pauseMs: 20,
});
const byRules = (conversation: ModelConversation): ScriptedAnswer => {
  expectTrue<
    Equal<
      [typeof conversation.turn, typeof conversation.payload, (typeof conversation.results)[number]["output"]],
      [number, readonly string[], unknown]
    >
  >();
  return conversation.prompt;
};
defineAgent({ slug: "chat", model: scripted, instructions: "Answer." });
defineAgent({ slug: "chat", model: scriptedModel({ answers: byRules }), instructions: "Answer." });
scriptedModel({ answers: async ({ turn }) => (turn === 1 ? { text: "One moment.", calls: [] } : "Done") });

// ---- each of these lines must be an error ----

// @ts-expect-error it needs answers
scriptedModel({});
// @ts-expect-error a number is no answer
scriptedModel({ answers: [1] });
// @ts-expect-error a call names its tool
scriptedModel({ answers: [{ calls: [{ input: {} }] }] });

ticket.attach({
  agent: chat,
  transform: (payload) => ({ from: payload.subject }),
  // @ts-expect-error that is what the payload has, not what the transform returns
  prompt: "{{ subject }}",
});
ticket.attach({
  agent: chat,
  // @ts-expect-error a number is no prompt
  prompt: () => 1,
});
// @ts-expect-error an agent needs a prompt
ticket.attach({ agent: chat });
// @ts-expect-error an agent is not a string
ticket.attach({ agent: "chat", prompt: "Go" });
defineAgent({
  slug: "a",
  // @ts-expect-error a model is not a string
  model: "gpt-5",
  instructions: "Answer.",
});
// @ts-expect-error `instructions` is required
defineAgent({ slug: "a", model });
defineAgent({
  slug: "a",
  model,
  instructions: "Answer.",
  // @ts-expect-error unknown limit
  budget: { euros: 1 },
});
