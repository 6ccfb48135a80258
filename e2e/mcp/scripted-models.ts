import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

/** What a model does next: calls tools, or ends with a text. */
export type Turn = { calls: { name: string; input: Record<string, unknown> }[] } | { text: string };

/** The conversation so far, as far as both APIs have it. */
export interface Conversation {
  task: string;
  /** The names of the tools that the model may call. */
  tools: string[];
  /** The results of its calls, in order. */
  results: string[];
}

/** Two APIs of models over real HTTP: `POST /chat/completions` of OpenAI and `POST /messages` of Anthropic. */
export async function startScriptedModels(nextTurn: (conversation: Conversation) => Turn) {
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      headers.push(request.headers);
      const api = request.url === "/v1/messages" ? anthropic : openai;
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(api.answer(nextTurn(api.read(body)), headers.length)));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    /** Of each request. */
    headers,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface ModelApi {
  read(body: unknown): Conversation;
  answer(turn: Turn, index: number): object;
}

const openaiRequest = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })),
});

const openai: ModelApi = {
  read(body) {
    const { messages, tools } = openaiRequest.parse(body);
    const textsOf = (wanted: string) =>
      messages.filter(({ role }) => role === wanted).map(({ content }) => z.string().parse(content));
    return {
      task: textsOf("user").join("\n"),
      tools: tools.map((tool) => tool.function.name),
      results: textsOf("tool"),
    };
  },
  answer(turn, index) {
    const calls = "calls" in turn ? turn.calls : [];
    const toolCalls = calls.map(({ name, input }, at) => ({
      id: `call_${index}_${at}`,
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    }));
    const message = { role: "assistant", content: "text" in turn ? turn.text : null, tool_calls: toolCalls };
    return { choices: [{ message, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }] };
  },
};

const text = z.object({ type: z.literal("text"), text: z.string() });
const anthropicRequest = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.array(z.looseObject({ type: z.string() })) })),
  tools: z.array(z.object({ name: z.string() })),
});

const anthropic: ModelApi = {
  read(body) {
    const { messages, tools } = anthropicRequest.parse(body);
    const parts = messages.filter(({ role }) => role === "user").flatMap(({ content }) => content);
    const results = parts.filter(({ type }) => type === "tool_result").map((part) => part["content"]);
    return {
      task: parts.flatMap((part) => text.safeParse(part).data?.text ?? []).join("\n"),
      tools: tools.map(({ name }) => name),
      results: results.map((content) => z.union([z.string(), z.array(text)]).parse(content)).map(plainText),
    };
  },
  answer(turn, index) {
    const calls = "calls" in turn ? turn.calls : [];
    const blocks = calls.map(({ name, input }, at) => ({ type: "tool_use", id: `toolu_${index}_${at}`, name, input }));
    return {
      type: "message",
      id: `msg_${index}`,
      role: "assistant",
      model: "claude-scripted",
      content: "text" in turn ? [{ type: "text", text: turn.text }] : blocks,
      stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
  },
};

function plainText(content: string | z.infer<typeof text>[]): string {
  return typeof content === "string" ? content : content.map((part) => part.text).join("\n");
}
