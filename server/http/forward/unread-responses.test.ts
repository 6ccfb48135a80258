import { createServer, request as send, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { AppError } from "../../contract/app-error.ts";
import { createUnreadLimit } from "./unread-responses.ts";

const megabyte = 1024 * 1024;

/** Answers each request with 8 MiB, or with the problem of the limit. */
async function open(maxBytes: number) {
  const admit = createUnreadLimit(maxBytes);
  const server = createServer((request, response) => {
    try {
      admit(request, response, String(request.headers["x-address"] ?? "192.0.2.1"));
      response.end(Buffer.alloc(8 * megabyte));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      response.writeHead(429).end(error.message);
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return (headers: Record<string, string>) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      send({ port, headers, agent: false }, resolve).once("error", reject).end();
    });
}

const read = async (response: IncomingMessage) => {
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Buffer).length;
  return bytes;
};

it.each<Record<string, string>>([
  { authorization: "Bearer sbt_1" },
  { "x-api-key": "sbt_1" },
  { cookie: "session=1" },
  {},
])(
  "a client with %o that does not read its responses gets no more of them, and others do; afterwards it does again",
  async (headers) => {
    const ask = await open(10 * megabyte);
    const unread: IncomingMessage[] = [];
    let last = await ask(headers);
    for (; last.statusCode === 200 && unread.length < 10; last = await ask(headers)) unread.push(last);
    expect(last.statusCode).toBe(429);
    expect(unread.length).toBeGreaterThanOrEqual(2);
    const others: Record<string, string>[] = [
      { authorization: "Bearer sbt_2" },
      { ...headers, "x-address": "203.0.113.7" },
    ];
    for (const one of others) {
      const other = await ask(one);
      expect([other.statusCode, await read(other)]).toEqual([200, 8 * megabyte]);
    }
    for (const response of unread) expect(await read(response)).toBe(8 * megabyte);
    await vi.waitFor(async () => expect((await ask(headers)).statusCode).toBe(200));
  },
);
