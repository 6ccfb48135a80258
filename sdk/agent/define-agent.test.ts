import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { definitionKind, type TargetReference } from "../definition.ts";
import { defineWebhookSource } from "../trigger/define-webhook-source.ts";
import { defineWorkflow } from "../workflow/define-workflow.ts";
import { defineAgent } from "./define-agent.ts";
import { defineTool } from "./define-tool.ts";

const model = createOpenAICompatible({ name: "local", baseURL: "http://127.0.0.1:1/v1" })("some-model");
const tool = defineTool({
  description: "Looks up",
  inputSchema: z.object({ id: z.string() }),
  execute: ({ id }) => id,
});
/** As plain JavaScript calls it. */
const define: (options: unknown) => unknown = defineAgent as never;

describe("defineAgent", () => {
  it("returns a marked definition with all options", () => {
    const output = z.object({ a: z.string() });
    const agent = defineAgent({
      slug: "triage",
      model,
      instructions: "Sort.",
      tools: { tool },
      output,
      maxSteps: 3,
      budget: { tokens: 10 },
      timeout: "1m",
      callTimeout: "10s",
      concurrency: 2,
      maxQueued: 9,
    });
    expect(agent[definitionKind]).toBe("agent");
    expect(agent).toMatchObject({
      slug: "triage",
      model,
      instructions: "Sort.",
      tools: { tool },
      output,
      maxSteps: 3,
      budget: { tokens: 10 },
      timeout: "1m",
      callTimeout: "10s",
      concurrency: 2,
      maxQueued: 9,
    });
    expect(Object.isFrozen(agent)).toBe(true);
  });

  it.each([
    [
      "nothing",
      undefined,
      "defineAgent needs an object, but got nothing. Write defineAgent({ slug, model, instructions }).",
    ],
    [
      "no slug",
      { model, instructions: "a" },
      'defineAgent: slug must be a string, but is missing. Write slug: "triage".',
    ],
    [
      "the name of a model",
      { slug: "a", model: "gpt-5", instructions: "a" },
      'model must be a language model of the AI SDK (version 2 to 4), but is "gpt-5". A model name alone specifies neither the provider nor the API key.',
    ],
    [
      "a model of another version",
      { slug: "a", model: { specificationVersion: "v9", doStream() {} }, instructions: "a" },
      'but is of version "v9".',
    ],
    [
      "no instructions",
      { slug: "a", model },
      'defineAgent({ slug: "a" }): instructions must be a string, but is missing.',
    ],
    [
      "tools in a list",
      { slug: "a", model, instructions: "a", tools: [tool] },
      "tools needs an object, but got an array.",
    ],
    [
      "a tool with a name that models do not take",
      { slug: "a", model, instructions: "a", tools: { "look up": tool } },
      "tools.look up: a tool name must have 1 to 64 characters: letters, digits, _ and -",
    ],
    [
      "a tool without execute",
      { slug: "a", model, instructions: "a", tools: { lookup: { inputSchema: z.object({}) } } },
      "tools.lookup: execute must be a function, but is missing.",
    ],
    [
      "a tool of the provider",
      {
        slug: "a",
        model,
        instructions: "a",
        tools: { search: { type: "provider", id: "openai.web_search", args: {} } },
      },
      "tools.search is a provider-executed tool, which is not supported",
    ],
    [
      "an output that is no schema",
      { slug: "a", model, instructions: "a", output: {} },
      "output must be a Zod schema, but is a plain object.",
    ],
    ["a number for a budget", { slug: "a", model, instructions: "a", budget: 5 }, "budget needs an object, but got 5."],
  ])("rejects %s with the problem, its position and the fix", (_, options, message) => {
    expect(() => define(options)).toThrow(TypeError);
    expect(() => define(options)).toThrow(message);
  });
});

describe("attaching an agent", () => {
  const source = defineWebhookSource({ slug: "a", endpoint: "a", request: z.object({ from: z.string() }) });
  const agent = defineAgent({ slug: "triage", model, instructions: "Sort." });
  const attach: (attachment: unknown) => unknown = source.attach as never;

  it("keeps its prompt, and accepts the reference that replaces it in the sources bundle", () => {
    expect(source.attach({ agent, prompt: "{{ from }}" })).toMatchObject({
      [definitionKind]: "trigger",
      target: agent,
      prompt: "{{ from }}",
    });
    const reference: TargetReference = { [definitionKind]: "reference", kind: "agent", slug: "triage" };
    expect(attach({ agent: reference, prompt: "Hi" })).toMatchObject({ target: reference });
  });

  const workflow = defineWorkflow({ slug: "w", input: z.unknown(), run() {} });
  it.each([
    [
      "no prompt",
      { agent },
      'defineWebhookSource({ slug: "a" }).attach: prompt must be a string or a function, but is missing. Write prompt: "New mail from {{ from }}".',
    ],
    [
      "a workflow for an agent",
      { agent: workflow, prompt: "Hi" },
      "agent must be made by defineAgent, but is a workflow.",
    ],
    ["an agent for a workflow", { workflow: agent }, "workflow must be made by defineWorkflow, but is an agent."],
    ["both", { agent, workflow, prompt: "Hi" }, "a trigger starts a workflow or an agent, not both."],
    ["a prompt for a workflow", { workflow, prompt: "Hi" }, "prompt is only for agents."],
  ])("rejects %s", (_, attachment, message) => {
    expect(() => attach(attachment)).toThrow(TypeError);
    expect(() => attach(attachment)).toThrow(message);
  });
});
