import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Client } from "@modelcontextprotocol/client";
import type { Shop, Task } from "./tasks.ts";

/**
 * A real model that does the tasks, configured by the environment:
 *
 * - Any OpenAI-compatible server: `TASKS_MODEL=qwen3 TASKS_BASE_URL=http://127.0.0.1:11434/v1`, with TASKS_API_KEY
 * - Anthropic: `TASKS_MODEL=claude-… TASKS_PROVIDER=anthropic TASKS_API_KEY=…`, with TASKS_BASE_URL for a proxy
 *
 * `null`: TASKS_MODEL is not set.
 */
export function modelOfEnvironment(env: NodeJS.ProcessEnv = process.env) {
  const { TASKS_MODEL, TASKS_PROVIDER, TASKS_BASE_URL, TASKS_API_KEY: apiKey = "" } = env;
  if (!TASKS_MODEL) return null;
  if (TASKS_PROVIDER === "anthropic")
    return createAnthropic({ apiKey, ...(TASKS_BASE_URL ? { baseURL: TASKS_BASE_URL } : {}) })(TASKS_MODEL);
  const baseURL = TASKS_BASE_URL || "https://api.openai.com/v1";
  return createOpenAICompatible({ name: "openai-compatible", baseURL, apiKey })(TASKS_MODEL);
}

type Model = NonNullable<ReturnType<typeof modelOfEnvironment>>;
type Request = Parameters<Model["doGenerate"]>[0];

const maxTurns = 20;

/** Without the tools, the model has only this one: the REST API and its description. */
const requestTool = {
  type: "function" as const,
  name: "http_request",
  description:
    "Sends a request to the service. GET /api/v1/openapi.json describes its API. The token is added to each request.",
  inputSchema: {
    type: "object" as const,
    properties: { method: { enum: ["GET", "POST"] }, path: { type: "string" as const }, body: {} },
    required: ["method", "path"],
  },
};

/** How many of the tasks the model does with the REST API alone, and how many with the tools. */
export async function scoreModel(p: {
  model: Model;
  shop: Shop;
  token: string;
  client: Client;
  tasks: readonly Task[];
  /** Is called after each task. */
  onTask?: (line: string) => void;
}): Promise<{ without: number; with: number }> {
  const scores = { without: 0, with: 0 };
  for (const variant of ["without", "with"] as const) {
    const round = { ...p.shop, since: new Date().toISOString() };
    for (const task of p.tasks) {
      const facts = await task.setup(round);
      await solveWithModel({
        model: p.model,
        prompt: task.prompt(facts),
        service: { url: p.shop.url, token: p.token },
        client: variant === "with" ? p.client : null,
      });
      const isDone = await task.check(round, facts);
      scores[variant] += Number(isDone);
      p.onTask?.(`${variant} the tools: ${task.name} ${isDone ? "done" : "not done"}`);
    }
  }
  return scores;
}

/** Lets the model work until it calls no more tools. `client`: `null` for the REST API alone. */
async function solveWithModel(p: {
  model: Model;
  prompt: string;
  service: { url: string; token: string };
  client: Client | null;
}): Promise<void> {
  const { client } = p;
  const tools = client
    ? (await client.listTools()).tools.map(({ name, description = "", inputSchema }) => ({
        type: "function" as const,
        name,
        description,
        inputSchema: inputSchema as (typeof requestTool)["inputSchema"],
      }))
    : [requestTool];
  const system = `You operate a Signalbox service with tools. Do the task, then stop. ${client?.getInstructions() ?? ""}`;
  const prompt: Request["prompt"] = [
    { role: "system", content: system },
    { role: "user", content: [{ type: "text", text: p.prompt }] },
  ];
  for (let turn = 0; turn < maxTurns; turn++) {
    const { content } = await p.model.doGenerate({ prompt, tools });
    const calls = content.filter((part) => part.type === "tool-call");
    if (calls.length === 0) return;
    const texts = content.filter((part) => part.type === "text");
    const asked = calls.map((part) => ({ ...part, input: readInput(part.input) }));
    prompt.push({ role: "assistant", content: [...texts, ...asked] });
    for (const { toolCallId, toolName, input } of asked) {
      const value = await (client ? callTool(client, toolName, input) : sendRequest(p.service, input)).catch(String);
      prompt.push({
        role: "tool",
        content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value } }],
      });
    }
  }
}

function readInput(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

async function callTool(client: Client, name: string, input: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: input });
  return (content as { text?: string }[]).map(({ text = "" }) => text).join("\n");
}

async function sendRequest(
  { url, token }: { url: string; token: string },
  { method, path, body }: Record<string, unknown>,
): Promise<string> {
  const response = await fetch(new URL(String(path), url), {
    method: method === "POST" ? "POST" : "GET",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(method === "POST" ? { body: JSON.stringify(body ?? {}) } : {}),
  });
  return `${response.status}\n${(await response.text()).slice(0, 40_000)}`;
}
