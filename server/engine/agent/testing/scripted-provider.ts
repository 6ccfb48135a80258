import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

const requestSchema = z.looseObject({
  model: z.string(),
  stream: z.literal(true),
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: z.unknown(),
      tool_calls: z.unknown().optional(),
      tool_call_id: z.string().optional(),
    }),
  ),
  tools: z.array(z.looseObject({})).optional(),
  response_format: z.looseObject({}).optional(),
});

export type ChatRequest = z.infer<typeof requestSchema>;

/** How the provider answers one request. `tokens`: in and out; `null`: it does not report them. */
export type ScriptedAnswer =
  /** `until`: the second half of the text comes after that. */
  | { text: string; tokens?: [number, number] | null; reasoning?: string; until?: Promise<void> }
  | { calls: { id?: string; name: string; arguments: unknown }[]; text?: string; tokens?: [number, number] | null }
  | { status: number; headers?: Record<string, string>; message: string }
  /** Sends this text, and closes the connection. */
  | { breaksOffAfter: string }
  /** Sends this text, and the first half of a tool call's arguments, and nothing more until the client disconnects. */
  | { hangsAfter: string; reasoning?: string; call?: { name: string; arguments: unknown } };

/**
 * A provider with the chat protocol of OpenAI, with streaming and tool calls, over real HTTP. Its script has one answer
 * for each request, or is a function of the request.
 */
export async function startScriptedProvider(
  script: readonly ScriptedAnswer[] | ((request: ChatRequest, index: number) => ScriptedAnswer),
) {
  const requests: ChatRequest[] = [];
  const authorizations: (string | undefined)[] = [];
  const arrived: (() => void)[] = [];
  const closed = Promise.withResolvers<void>();
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = requestSchema.parse(JSON.parse(Buffer.concat(chunks).toString()));
    requests.push(body);
    authorizations.push(request.headers.authorization);
    for (const notify of arrived.splice(0)) notify();
    const next = typeof script === "function" ? script(body, requests.length - 1) : script[requests.length - 1];
    response.on("close", () => {
      if (!response.writableFinished) closed.resolve();
    });
    if (!next)
      return void response
        .writeHead(500, { "content-type": "application/json" })
        .end(JSON.stringify({ error: { message: "the script has ended" } }));
    await play(response, next);
  }

  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    requests,
    /** The authorization header of each request. */
    authorizations,
    /** Resolves with the next request. */
    nextRequest: () => new Promise<void>((resolve) => arrived.push(resolve)),
    /** Resolves when a client has disconnected before the end of its response. */
    callerWent: closed.promise,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function play(response: ServerResponse, answer: ScriptedAnswer): Promise<void> {
  if ("status" in answer) {
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
    response.end(JSON.stringify({ error: { message: answer.message, type: "scripted", code: null } }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (choice: object | null, usage?: object) =>
    response.write(
      `data: ${JSON.stringify({ id: "chat-1", object: "chat.completion.chunk", created: 1_760_000_000, model: "scripted", choices: choice ? [{ index: 0, finish_reason: null, ...choice }] : [], ...(usage ? { usage } : {}) })}\n\n`,
    );
  send({ delta: { role: "assistant", content: "" } });
  if ("breaksOffAfter" in answer) {
    send({ delta: { content: answer.breaksOffAfter } });
    setImmediate(() => response.destroy());
    return;
  }
  if ("reasoning" in answer) send({ delta: { reasoning_content: answer.reasoning } });
  // In two parts, as from real providers.
  const [first, ...rest] = halves("hangsAfter" in answer ? answer.hangsAfter : (answer.text ?? ""));
  send({ delta: { content: first } });
  if ("until" in answer) await answer.until;
  for (const piece of rest) send({ delta: { content: piece } });
  if ("hangsAfter" in answer) {
    if (answer.call) sendCall(send, 0, answer.call, 1);
    return;
  }
  const calls = "calls" in answer ? answer.calls : [];
  for (const [index, call] of calls.entries()) sendCall(send, index, call, 2);
  send({ delta: {}, finish_reason: calls.length > 0 ? "tool_calls" : "stop" });
  const [input, output] = answer.tokens ?? [100, 10];
  if (answer.tokens !== null)
    send(null, { prompt_tokens: input, completion_tokens: output, total_tokens: input + output });
  response.end("data: [DONE]\n\n");
}

/** The first `pieces` of two. */
function sendCall(
  send: (choice: object) => void,
  index: number,
  call: { id?: string; name: string; arguments: unknown },
  pieces: 1 | 2,
): void {
  const [first, second] = halves(typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments));
  send({
    delta: {
      tool_calls: [
        {
          index,
          id: call.id ?? `call_${index + 1}`,
          type: "function",
          function: { name: call.name, arguments: first ?? "" },
        },
      ],
    },
  });
  if (second && pieces === 2) send({ delta: { tool_calls: [{ index, function: { arguments: second } }] } });
}

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== "");
}
