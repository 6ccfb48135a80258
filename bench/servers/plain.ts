import { createServer } from "node:http";

/** The upper bound of node:http: reads the body, parses it, answers 202, and stores nothing. Sends its port by IPC. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const body = '{"ok":true}';
    response.writeHead(202, { "Content-Type": "application/json", "Content-Length": body.length });
    response.end(body);
  });
});
server.listen(0, "127.0.0.1", () => process.send?.(server.address()));
process.on("disconnect", () => process.exit());
