import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

const requestSchema = z.looseObject({
  model: z.string(),
  stream: z.literal(true),
  system: z.unknown(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.looseObject({})).optional(),
});

/** The response to one request: the events of the stream, or an error. */
export type AnthropicAnswer =
  | { events: ({ type: string } & Record<string, unknown>)[] }
  | { status: number; headers?: Record<string, string>; type: string; message: string };

/** A provider with the Messages protocol of Anthropic, with streaming, over real HTTP. It answers with its script. */
export async function startScriptedAnthropic(script: readonly AnthropicAnswer[]) {
  const requests: z.infer<typeof requestSchema>[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const answer = script[requests.push(requestSchema.parse(JSON.parse(Buffer.concat(chunks).toString()))) - 1] ?? {
        status: 500,
        type: "api_error",
        message: "the script has ended",
      };
      if ("status" in answer) {
        response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
        response.end(JSON.stringify({ type: "error", error: { type: answer.type, message: answer.message } }));
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of answer.events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      response.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The stream of one answer, made of its blocks. */
export function anthropicAnswer(p: {
  blocks: { start: object; deltas: object[] }[];
  stopReason: string;
  tokens: [number, number];
}): AnthropicAnswer {
  const blocks = p.blocks.flatMap(({ start, deltas }, index) => [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]);
  return {
    events: [
      {
        type: "message_start",
        message: {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model: "claude-scripted",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: p.tokens[0], output_tokens: 1 },
        },
      },
      ...blocks,
      {
        type: "message_delta",
        delta: { stop_reason: p.stopReason, stop_sequence: null },
        usage: { output_tokens: p.tokens[1] },
      },
      { type: "message_stop" },
    ],
  };
}
