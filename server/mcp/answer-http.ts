import { createMcpHandler } from "@modelcontextprotocol/server";
import { createToolServer, type ToolClient } from "./tool-server.ts";

/**
 * Answers one request of the streamable HTTP transport. Stateless: there are no sessions, and no streams that stay open
 * after the response. The caller has authenticated the client and checked the origin. `body`: the parsed JSON.
 */
export async function answerMcpRequest(request: Request, body: unknown, client: ToolClient): Promise<Response> {
  const handler = createMcpHandler(() => createToolServer(client), { maxSubscriptions: 0 });
  return handler.fetch(request, { parsedBody: body });
}
