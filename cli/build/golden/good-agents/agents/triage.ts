import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { jsonSchema, tool } from "@ai-sdk/provider-utils";
import { defineAgent, defineTool } from "signalbox/agent";
import { z } from "zod";

export default defineAgent({
  slug: "triage",
  model: createOpenAICompatible({ name: "local", baseURL: "http://127.0.0.1:1/v1" })("some-model"),
  instructions: "You sort incoming tickets.",
  tools: {
    lookup: tool({ description: "Looks a customer up", inputSchema: z.object({ email: z.email().refine((email) => email.length < 100) }), execute: async ({ email }) => ({ email }) }),
    note: tool({ description: "Takes a note", inputSchema: jsonSchema<{ text: string }>({ type: "object", properties: { text: { type: "string" } } }), execute: async ({ text }) => text, needsApproval: true }),
    refund: defineTool({ description: "Pays back", inputSchema: z.object({ cents: z.int() }), needsApproval: ({ cents }) => cents > 100, approvalTimeout: "7d", execute: ({ cents }) => cents }),
  },
  output: z.object({ queue: z.enum(["bugs", "other"]) }),
  maxSteps: 5,
  budget: { tokens: 50_000, usd: 0.25 },
  timeout: "10m",
  callTimeout: "1m",
  concurrency: 3,
  maxQueued: 100,
});
