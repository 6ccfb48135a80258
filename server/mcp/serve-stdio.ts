import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createToolServer, type ToolClient } from "./tool-server.ts";

/** Serves the tools to the client that started this process. Resolves when the client closes the input. */
export async function serveTools(
  client: ToolClient,
  { input, output }: { input: Readable; output: Writable },
): Promise<void> {
  const closed = once(input, "close");
  const server = serveStdio(() => createToolServer(client), {
    transport: new StdioServerTransport(input, output),
    onerror: client.onDefect,
  });
  await Promise.race([once(input, "end"), closed]);
  await server.close();
}
