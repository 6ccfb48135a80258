import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Load, runLoad } from "./run-load.ts";

interface Received {
  method: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Answers with the status after reading the body. */
async function startServer(status: number, handle?: RequestListener): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    if (handle) return handle(request, response);
    received.push({ method: request.method, headers: request.headers, body: await text(request) });
    response.writeHead(status).end("x".repeat(100_000));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/path`, received };
}

const aLoad = (load: Partial<Load> & { url: string }): Load => ({
  bodies: [Buffer.from('{"a":1}')],
  connections: 4,
  ...load,
});

describe("runLoad", () => {
  it("sends exactly as many requests as its count, and reads each response to its end", async () => {
    const { url, received } = await startServer(202);
    const result = await runLoad(aLoad({ url, count: 25 }));
    expect(received).toHaveLength(25);
    expect(result.statuses).toEqual({ 202: 25 });
    expect(result.latencies).toHaveLength(25);
    expect(result.bytes).toBeGreaterThan(25 * 100_000);
    expect(result.endedAt).toBeGreaterThanOrEqual(result.beganAt);
  });

  it("sends exactly as many at a given rate, also if there are fewer connections than requests that are due", async () => {
    const { url, received } = await startServer(202);
    expect((await runLoad(aLoad({ url, connections: 1, count: 20, perSecond: 10_000, ms: 1_000 }))).statuses).toEqual({
      202: 20,
    });
    expect(received).toHaveLength(20);
  });

  it("continues until it is stopped, and then waits for the responses of all requests in flight", async () => {
    const stop = new AbortController();
    let [begun, ended] = [0, 0];
    const { url } = await startServer(200, (_request, response) => {
      if (++begun === 40) stop.abort();
      setImmediate(() => {
        ended += 1;
        response.end("{}");
      });
    });
    const { statuses } = await runLoad(aLoad({ url }), stop.signal);
    expect(begun).toBeGreaterThanOrEqual(40);
    expect([statuses, ended]).toEqual([{ 200: begun }, begun]);
  });

  it("sends the number of the request and its address in place of {n} and {address}", async () => {
    const { url, received } = await startServer(200);
    const bodies = [Buffer.from('{"email":"é{n}@example.com"}')];
    await runLoad(aLoad({ url, count: 3, connections: 1, headers: { "X-Forwarded-For": "{address}" }, bodies }));
    expect(received.map(({ headers, body }) => [headers["x-forwarded-for"], body])).toEqual(
      [0, 1, 2].map((n) => [`10.0.0.${n}`, `{"email":"é${n}@example.com"}`]),
    );
  });

  it("sends a GET without a body", async () => {
    const { url, received } = await startServer(200);
    await runLoad({ url, method: "GET", connections: 1, count: 1 });
    expect(received[0]).toMatchObject({ method: "GET", body: "" });
    expect(received[0]?.headers).not.toHaveProperty("content-length");
  });

  it("opens a closed connection again if it should, and counts its request", async () => {
    let begun = 0;
    const { url } = await startServer(200, (request, response) => {
      if (++begun % 2 === 1) request.socket.destroy();
      else response.end("{}");
    });
    const { statuses } = await runLoad(aLoad({ url, connections: 1, count: 6, reconnects: true }));
    expect(statuses).toEqual({ 0: 3, 200: 3 });
  });

  it("rejects if the server closes a connection instead of responding", async () => {
    const { url } = await startServer(200, (request) => void request.socket.destroy());
    await expect(runLoad(aLoad({ url, count: 1 }))).rejects.toThrow(/closed a connection|ECONNRESET/);
  });
});
