import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { runUnread } from "./run-unread.ts";

it("sends its requests at once on each connection, reads no response, and opens a closed connection again", async () => {
  const stop = new AbortController();
  const numbers: string[] = [];
  const sockets: Socket[] = [];
  const large = Buffer.alloc(20_000_000);
  const unread = Promise.withResolvers<ServerResponse>();
  const server = createServer((request, response) => {
    const number = request.headers["x-number"];
    if (typeof number === "string") numbers.push(number);
    response.end(typeof number === "string" && numbers.length <= 10 ? "small" : large);
    if (numbers.length === 10) sockets[0]?.destroy();
    if (numbers.length > 10 && sockets.length === 3) unread.resolve(response);
  });
  server.on("connection", (socket) => void sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const running = runUnread(
    { url, method: "GET", headers: { "X-Number": "{n}" }, connections: 2, unread: 5 },
    stop.signal,
  );
  const response = await unread.promise;
  // A client that reads has all of its response meanwhile.
  expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(large.length);
  expect(response.writableFinished).toBe(false);
  stop.abort();
  expect((await running).statuses).toEqual({ 0: 3 });
  expect(new Set(numbers).size).toBe(numbers.length);
});
