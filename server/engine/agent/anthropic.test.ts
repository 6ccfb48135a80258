import { createAnthropic } from "@ai-sdk/anthropic";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../../sdk/agent/define-tool.ts";
import { delimitResult } from "./prompt.ts";
import { createAgentHarness } from "./testing/agent-harness.ts";
import { type AnthropicAnswer, anthropicAnswer, startScriptedAnthropic } from "./testing/scripted-anthropic.ts";

async function setUp(script: AnthropicAnswer[]) {
  const provider = await startScriptedAnthropic(script);
  onTestFinished(() => provider.close());
  const model = createAnthropic({ baseURL: provider.baseURL, apiKey: "sk-ant-never-to-be-seen" })("claude-scripted");
  const lookup = defineTool({
    description: "Looks up",
    inputSchema: z.object({ id: z.string() }),
    execute: ({ id }) => ({ id, name: "Ada" }),
  });
  const h = await createAgentHarness([], { model, tools: { lookup } });
  onTestFinished(() => h.close());
  return { provider, h };
}

const text = (words: string) => ({ start: { type: "text", text: "" }, deltas: [{ type: "text_delta", text: words }] });

test("an agent uses Anthropic's protocol: it thinks, calls a tool, gets its own signed thoughts back, and answers", async () => {
  const thoughts = {
    start: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      { type: "thinking_delta", thinking: "Who is it?" },
      { type: "signature_delta", signature: "signed" },
    ],
  };
  const call = {
    start: { type: "tool_use", id: "toolu_1", name: "lookup", input: {} },
    deltas: [
      { type: "input_json_delta", partial_json: '{"id"' },
      { type: "input_json_delta", partial_json: ':"7"}' },
    ],
  };
  const { provider, h } = await setUp([
    anthropicAnswer({ blocks: [thoughts, call], stopReason: "tool_use", tokens: [100, 20] }),
    anthropicAnswer({ blocks: [text("It is Ada")], stopReason: "end_turn", tokens: [150, 5] }),
  ]);
  const id = await h.start();
  expect((await h.finish(id)).run).toMatchObject({ status: "completed", output: "It is Ada" });
  expect((await h.steps(id)).get("model 1")).toMatchObject({
    content: [
      { type: "reasoning", text: "Who is it?" },
      { type: "tool-call", toolName: "lookup", input: { id: "7" } },
    ],
    finishReason: "tool-calls",
    usage: { inputTokens: 100, outputTokens: 20 },
  });
  expect(provider.requests[0]).toMatchObject({
    system: [{ type: "text", text: expect.stringMatching(/^You sort mail\./) }],
    tools: [{ name: "lookup" }],
  });
  expect(provider.requests[1]?.messages.slice(1)).toMatchObject([
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Who is it?", signature: "signed" },
        { type: "tool_use", id: "toolu_1", name: "lookup", input: { id: "7" } },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "toolu_1",
          content: delimitResult('{"id":"7","name":"Ada"}', { runId: id, toolCallId: "toolu_1" }),
        },
      ],
    },
  ]);
});

test("an agent waits if Anthropic is overloaded, at once or in the middle of an answer", async () => {
  const whole = anthropicAnswer({ blocks: [text("Half")], stopReason: "end_turn", tokens: [1, 1] });
  const broken = {
    events: [
      ...("events" in whole ? whole.events.slice(0, 3) : []),
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    ],
  };
  const { h } = await setUp([
    { status: 529, type: "overloaded_error", message: "Overloaded" },
    broken,
    anthropicAnswer({ blocks: [text("Whole")], stopReason: "end_turn", tokens: [1, 1] }),
  ]);
  const id = await h.start();
  expect((await h.finish(id)).run.output).toBe("Whole");
  const kinds = [...(await h.steps(id)).values()].flatMap((step) => (step.type === "model_failure" ? [step.kind] : []));
  expect(kinds).toEqual(["overloaded", "overloaded"]);
});
