import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { fakeDelivery } from "../../testing/fake-host.ts";
import { type FeedMessage, type FeedStart, InterruptedFeed, parseFeedUrl, readFeed } from "./feed-stream.ts";

async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handle).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function read(
  url: string,
  start: FeedStart = null,
  token: string | null = "sbt_1",
): Promise<{ messages: FeedMessage[]; error: unknown }> {
  const messages: FeedMessage[] = [];
  try {
    const source = { url, token, endpoints: ["orders", "billing/eu"] };
    for await (const message of readFeed(source, start, new AbortController().signal)) messages.push(message);
    return { messages, error: null };
  } catch (error) {
    return { messages, error };
  }
}

const problem = (status: number, code: string, detail: string) => (_: IncomingMessage, response: ServerResponse) =>
  void response
    .writeHead(status, { "content-type": "application/problem+json" })
    .end(JSON.stringify({ type: `/errors/${code}`, title: "No", status, code, detail }));

describe("the feed of another service", () => {
  it("is read event by event, at any division into chunks, and its end is an interruption", async () => {
    const delivery = {
      ...fakeDelivery,
      body: Buffer.from('{"a":"ü"}').toString("base64"),
      headers: { "x-a": "ü\u2028" },
    };
    const text = `retry: 2000\n\n: a comment\n\nid: 1.a.2\nevent: position\ndata: {}\n\nid: 2.b.3\nevent: delivery\ndata: ${JSON.stringify(delivery)}\n\nid: 3.c.4\nevent: position\ndata: {}\n\n`;
    const bytes = Buffer.from(text);
    for (const size of [1, 2, 7, 64, bytes.length]) {
      const url = await serve((request, response) => {
        expect([request.url, request.headers.authorization]).toEqual([
          "/api/v1/deliveries/feed?cursor=0.x.1&endpoint=orders&endpoint=billing%2Feu",
          "Bearer sbt_1",
        ]);
        response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
        for (let at = 0; at < bytes.length; at += size) response.write(bytes.subarray(at, at + size));
        response.end();
      });
      const { messages, error } = await read(url, { cursor: "0.x.1" });
      expect(messages).toEqual([
        { cursor: "1.a.2", delivery: null },
        { cursor: "2.b.3", delivery },
        { cursor: "3.c.4", delivery: null },
      ]);
      expect(error).toBeInstanceOf(InterruptedFeed);
    }
  });

  it.each([
    [403, "forbidden", "--scope feed"],
    [410, "cursor_expired", "--since 24h"],
  ])("a rejection with %i %s ends it, with the fix", async (status, code, fix) => {
    const url = await serve(problem(status, code, "What is wrong."));
    const { error } = await read(url);
    expect(error).not.toBeInstanceOf(InterruptedFeed);
    expect(error).toMatchObject({
      message: `${url}: What is wrong.`,
      details: { code, fix: expect.stringContaining(fix) },
    });
  });

  it("a missing token is distinguished from an invalid one", async () => {
    const url = await serve(problem(401, "unauthorized", "Send a valid key."));
    const fix = expect.stringMatching(`^Set SIGNALBOX_TOKEN to an API token of ${url}\\. .*--scope feed`);
    const none = await read(url, null, null);
    expect(none.error).toMatchObject({
      message: "SIGNALBOX_TOKEN is not set.",
      details: { code: "unauthorized", fix },
    });
    const invalid = await read(url);
    expect(invalid.error).toMatchObject({
      message: `${url}: The token in SIGNALBOX_TOKEN is invalid, revoked or expired.`,
      details: { code: "unauthorized", fix },
    });
  });

  it("an older service has no feed, and another server is not a Signalbox", async () => {
    const older = await read(await serve(problem(404, "not_found", 'There is no delivery "feed".')));
    expect(older.error).toMatchObject({
      message: expect.stringContaining("is older than this one"),
      details: { code: "no_feed" },
    });
    const other = await read(await serve((_, response) => void response.writeHead(302, { location: "/" }).end()));
    expect(other.error).toMatchObject({
      message: expect.stringContaining("status 302"),
      details: { code: "unexpected_answer" },
    });
  });

  it.each([429, 503])("status %i and an unreachable service are interruptions", async (status) => {
    const busy = await read(await serve(problem(status, "overloaded", "Later.")));
    expect(busy.error).toBeInstanceOf(InterruptedFeed);
    expect((await read("http://127.0.0.1:9")).error).toBeInstanceOf(InterruptedFeed);
  });

  it("ends silently when it is stopped", async () => {
    const stopping = new AbortController();
    const url = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("id: 1\nevent: position\ndata: {}\n\n");
    });
    const messages = [];
    for await (const message of readFeed({ url, token: null, endpoints: [] }, null, stopping.signal)) {
      messages.push(message);
      stopping.abort();
    }
    expect(messages).toHaveLength(1);
  });
});

it("the address must protect the token", () => {
  expect(parseFeedUrl("https://hooks.example.com/base/")).toBe("https://hooks.example.com/base");
  expect(parseFeedUrl("http://127.0.0.1:3000")).toBe("http://127.0.0.1:3000");
  for (const wrong of ["http://hooks.example.com", "hooks.example.com", "https://a:b@example.com", "ftp://example.com"])
    expect(() => parseFeedUrl(wrong)).toThrow("--from must");
});
