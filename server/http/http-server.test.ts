import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { triggerOf } from "../ingest/testing/project.ts";
import { sendRaw, serve } from "./testing/serve.ts";

const triggers = [triggerOf({ slug: "signup", request: z.object({ name: z.string() }) })];
const ada = JSON.stringify({ name: "Ada" });

const get = (target: string, method = "GET") => `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
const post = (target: string, headers = "") =>
  `POST ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n${headers}Content-Length: ${ada.length}\r\n\r\n${ada}`;

const upgradeOf = (target: string, host = "localhost:3002") =>
  `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`;

const nameOf = (head: string) => /^signalbox-request: (req_\w+)\r?$/im.exec(head)?.[1];

function pagesThatTell() {
  const handle = vi.fn<(request: IncomingMessage, response: ServerResponse) => void>(
    (request, response) => void response.end(`page ${request.method} ${request.url}`),
  );
  return { handle };
}

const form = (headers: string, body = "") =>
  `POST /session HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n\r\n${body}`;

/** A GET request, which may have a body as well. */
const read = (headers: string, body = "") => form(headers, body).replace("POST", "GET");

const hostless = (line: string) =>
  `POST /triggers/signup HTTP/1.1\r\n${line}Content-Type: application/json\r\nContent-Length: ${ada.length}\r\n\r\n${ada}`;

describe("a request that does not name exactly one valid host", () => {
  test.each([
    ["no Host", ""],
    ["two", "Host: x\r\nHost: y\r\n"],
    ["two that agree", "Host: x\r\nhost: x\r\n"],
    ...[
      "",
      "1.2.3.4.5.6",
      "a b",
      "a/b",
      "user@a",
      "a:b",
      "a:99999",
      "[::1",
      "%",
      "a?",
      "a#",
      "a\\b",
      "::1",
      "[v1.x]",
    ].map((host): [string, string] => [`"${host}"`, `Host: ${host}\r\n`]),
  ])("(%s) is 400, and pipelined requests behind it never run", async (_, line) => {
    const { port, store } = await serve({ triggers });
    const text = await sendUntilClosed(port, hostless(line) + hostless("Host: x\r\n") + post("/triggers/signup"));
    expect(text.match(/^HTTP\/1\.1 .*$/gm)).toEqual(["HTTP/1.1 400 Bad Request"]);
    expect(text).toMatch(/^connection: close\r?$/im);
    expect(text).toContain('"code":"invalid_request"');
    expect([store.deliveries, store.runs]).toEqual([[], []]);
  });

  test.each(["a_b", "A.Example:3002", "[::1]:80", "127.0.0.1", "1.2.3.4:1", "xn--hst-sna.example", "a.", "-"])(
    "%s is a host",
    async (host) => {
      const { port } = await serve({ triggers });
      const text = await sendUntilClosed(port, post("/triggers/signup").replace("Host: x", `Host: ${host}`));
      expect(text).toMatch(/^HTTP\/1\.1 202 /);
    },
  );

  test("is valid in HTTP/1.0, which needs no host", async () => {
    const { port } = await serve({ triggers });
    expect(await sendUntilClosed(port, hostless("").replace("HTTP/1.1", "HTTP/1.0"))).toMatch(/^HTTP\/1\.1 202 /);
  });
});

describe("bytes behind a complete request that are no request", () => {
  test.each(["\0", "x", "\r\n\r\nx\r\n", " ".repeat(100), "POST / HTTP/9\r\n\r\n", '{"a":1}'])(
    "%j leave it its response, which ends the connection",
    async (bytes) => {
      const { port, store } = await serve({ triggers });
      const request = post("/triggers/signup").replace("Connection: close\r\n", "");
      for (const closing of [bytes, `${bytes}${request}`]) {
        const text = await sendUntilClosed(port, request + closing);
        expect(text.match(/^HTTP\/1\.1 .*$/gm)?.[0]).toBe("HTTP/1.1 202 Accepted");
      }
      expect(store.deliveries).toHaveLength(2);
    },
  );
});

describe("a request after which the connection ends", () => {
  const keptAlive = post("/triggers/signup").replace("Connection: close\r\n", "");
  test.each([
    ["because its sender says so", "202 Accepted", post("/triggers/signup")],
    [
      "because its sender says so among other things",
      "202 Accepted",
      post("/triggers/signup").replace("Connection: close", "Connection: x-hop, close"),
    ],
    ["because it is HTTP/1.0", "202 Accepted", keptAlive.replace("HTTP/1.1", "HTTP/1.0")],
    [
      "because its response says so",
      "413 Payload Too Large",
      keptAlive.replace(/Content-Length: \d+/, "Content-Length: 99999999"),
    ],
  ])("(%s) is the last one: requests that are pipelined behind it never run", async (_, status, last) => {
    const { port, store } = await serve({ triggers });
    const text = await sendUntilClosed(port, keptAlive + last + keptAlive + keptAlive);
    expect(text.match(/HTTP\/1\.1 .*/g)).toEqual(["HTTP/1.1 202 Accepted", `HTTP/1.1 ${status}`]);
    expect(store.deliveries).toHaveLength(2);
  });

  test("(because there are too many behind it, all at once) is the last one, too", async () => {
    const due = Promise.withResolvers<void>();
    const closed: unknown[] = [];
    const { port, store } = await serve({
      triggers,
      rest: () => due.promise.then(() => new Response("done")),
      onConnectionClosed: (one) => closed.push(one),
    });
    const socket = await open(port, get("/healthz").replace("Connection: close\r\n", "") + keptAlive.repeat(65));
    const ended = new Promise((resolve) => socket.once("close", resolve));
    await vi.waitFor(() => expect(closed).toEqual([{ limit: "pipelined", connection: "waiting" }]));
    due.resolve();
    await ended;
    expect(store.deliveries).toEqual([]);
  });

  test("(because the service closes) is the last one, too", async () => {
    const due = Promise.withResolvers<void>();
    const rest = vi.fn<() => Promise<Response>>(() => due.promise.then(() => new Response("done")));
    const { port, store, close } = await serve({ triggers, rest });
    const socket = await open(port, get("/healthz").replace("Connection: close\r\n", ""));
    const ended = new Promise((resolve) => socket.once("close", resolve));
    await vi.waitFor(() => expect(rest).toHaveBeenCalledOnce());
    const closed = close(60_000);
    socket.write(keptAlive);
    // A new connection would not be accepted. A response on this connection shows that the bytes above were read.
    await new Promise((resolve) => void setImmediate(() => setImmediate(resolve)));
    due.resolve();
    await Promise.all([ended, closed]);
    expect(store.runs).toEqual([]);
  });
});

describe("the HTTP server", () => {
  test.each([
    ["/", "page GET /"],
    ["/runs/run_1?tab=timeline", "page GET /runs/run_1?tab=timeline"],
    ["http://evil.example/runs", "page GET /runs"],
    ["/healthz", "rest http://x/healthz"],
    ["/api/v1/runs?limit=1", "rest http://x/api/v1/runs?limit=1"],
    ["http://evil.example/metrics", "rest http://x/metrics"],
  ])("routes %s to the right handler", async (target, body) => {
    const { port } = await serve({
      triggers,
      pages: pagesThatTell(),
      rest: async (request) => new Response(`rest ${request.url}`),
    });
    expect(await sendRaw(port, get(target))).toMatchObject({ status: 200, body: expect.stringContaining(body) });
  });

  test.each([
    "//triggers/signup",
    "/%74riggers/signup",
    "/a/../triggers/signup",
    "/triggers%2Fsignup",
    "/triggers\\signup",
    "/\\evil.example",
    "//evil.example/a",
    "/a//b",
    "/%2e/triggers/signup",
  ])("answers %s itself with 404: no redirect, no page, no run", async (target) => {
    const pages = pagesThatTell();
    const { port, store } = await serve({ triggers, pages });
    const answer = await sendRaw(port, post(target));
    expect(answer.status).toBe(404);
    expect(answer.head).toContain("application/problem+json");
    expect(answer.head).not.toMatch(/^location/im);
    expect(pages.handle).not.toHaveBeenCalled();
    expect(store.runs).toEqual([]);
  });

  test("gives every request except webhooks an id in its response, and logs a failure under the same id", async () => {
    const { port, logged } = await serve({
      triggers,
      pages: pagesThatTell(),
      rest: () => Promise.reject(new Error("a defect")),
    });
    const page = await sendRaw(port, get("/runs"));
    const failed = await sendRaw(port, get("/api/v1/runs"));
    expect([failed.status, nameOf(page.head)]).toEqual([500, expect.any(String)]);
    expect(logged).toEqual([expect.stringContaining(`"requestId":"${nameOf(failed.head)}"`)]);
    expect(nameOf((await sendRaw(port, post("/triggers/signup"))).head)).toBeUndefined();
  });

  test.each(["/%zz", "/a%", "/%ff", "*"])("answers %s with 400", async (target) => {
    const pages = pagesThatTell();
    const { port } = await serve({ triggers, pages });
    expect(await sendRaw(port, get(target, "OPTIONS"))).toMatchObject({
      status: 400,
      body: expect.stringContaining("invalid_path"),
    });
    expect(pages.handle).not.toHaveBeenCalled();
  });

  test("answers every target without a redirect and without failing, and lets only /triggers/signup itself start a run", async () => {
    const pages = pagesThatTell();
    const { port, store, logged } = await serve({ triggers, pages });
    const piece = fc.constantFrom(
      "/",
      "//",
      "\\",
      "..",
      ".",
      "triggers",
      "signup",
      "%74",
      "%2F",
      "%00",
      "%zz",
      "%ff",
      "http://evil.example",
      "?",
      "?token=a",
      "#",
      ";",
      "@",
      "api/v1",
      "*",
      "\x80",
    );
    const targets = fc.oneof(
      fc.constantFrom("/triggers/signup", "/triggers/signup?x", "/"),
      fc.array(piece, { minLength: 1, maxLength: 6 }).map((all) => all.join("")),
    );
    await fc.assert(
      fc.asyncProperty(targets, fc.boolean(), async (target, isPost) => {
        const before = store.runs.length;
        const answer = await sendRaw(port, Buffer.from(isPost ? post(target) : get(target), "latin1"));
        expect([200, 202, 400, 404, 405]).toContain(answer.status);
        expect(answer.head).not.toMatch(/^location: (?!\/api\/v1\/runs\/run_)/im);
        const isEndpoint = isPost && /^(http:\/\/evil\.example)?\/triggers\/signup(\?|#|$)/.test(target);
        expect(store.runs.length - before === 1 || !isEndpoint).toBe(true);
        expect(store.runs.length === before || /triggers\/signup|triggers\/%73/.test(target)).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(logged).toEqual([]);
    expect(pages.handle).toHaveBeenCalled();
  });

  test("accepts the absolute form of an endpoint with any host", async () => {
    const { port, store } = await serve({ triggers });
    expect((await sendRaw(port, post("http://evil.example:8080/triggers/signup"))).status).toBe(202);
    expect((await sendRaw(port, post("http://evil.example/triggers/nowhere"))).status).toBe(404);
    expect(store.deliveries.map(({ endpoint }) => endpoint)).toEqual(["signup", "nowhere"]);
  });

  test("rejects TRACE and unknown methods, at endpoints and at pages", async () => {
    const { port } = await serve({ triggers, pages: pagesThatTell() });
    for (const method of ["TRACE", "PROPFIND", "M-SEARCH"]) {
      expect(await sendRaw(port, get("/triggers/signup", method))).toMatchObject({
        status: 405,
        head: expect.stringMatching(/^allow: POST\r?$/im),
      });
      expect(await sendRaw(port, get("/", method))).toMatchObject({
        status: 405,
        head: expect.stringMatching(/^allow: GET/im),
      });
    }
  });

  test("passes no large or endless body to the pages", async () => {
    const pages = pagesThatTell();
    const { port } = await serve({ triggers, pages });
    expect((await sendRaw(port, read("Content-Length: 314572800"))).status).toBe(413);
    expect((await sendRaw(port, read("Transfer-Encoding: chunked", "5\r\nhello\r\n"))).status).toBe(413);
    expect((await sendRaw(port, read("Expect: 100-continue\r\nContent-Length: 70000"))).status).toBe(413);
    expect(pages.handle).not.toHaveBeenCalled();
    expect((await sendRaw(port, read("Content-Length: 7", "token=x"))).status).toBe(200);
  });

  test.each([
    "Next-Action: 7f0123456789",
    "Content-Type: multipart/form-data; boundary=x",
    "Content-Type: application/x-www-form-urlencoded",
    "Content-Type: text/plain\r\nRSC: 1",
  ])("a POST to a page is 405 before the pages see it, with %s", async (headers) => {
    const pages = pagesThatTell();
    const { port } = await serve({ triggers, pages });
    for (const path of [
      "/",
      "/sign-in",
      "/sign-in/",
      "/settings",
      "/nowhere",
      "/_next/data/x",
      "/__nextjs_original-stack-frames",
    ]) {
      const answer = await sendRaw(port, form(`${headers}\r\nContent-Length: 7`, "token=x").replace("/session", path));
      expect(answer, path).toMatchObject({
        status: 405,
        head: expect.stringMatching(/^allow: GET, HEAD\r?$/im),
        body: expect.stringContaining("method_not_allowed"),
      });
    }
    expect(pages.handle).not.toHaveBeenCalled();
  });

  test("in development the pages' own server gets the error reports that it receives by POST, and no other requests", async () => {
    const pages = { ...pagesThatTell(), upgrade: () => {} };
    const { port } = await serve({ triggers, pages });
    expect(
      (await sendRaw(port, form("Content-Length: 2", "{}").replace("/session", "/__nextjs_original-stack-frames")))
        .status,
    ).toBe(200);
    expect((await sendRaw(port, form("Content-Length: 2", "{}"))).status).toBe(405);
  });

  test("if the base URL is https, every response has Strict-Transport-Security", async () => {
    const targets = [
      "/sign-in",
      "/nowhere",
      "/api/v1/runs",
      "/api/trpc/runs.list",
      "/api/auth/sign-in",
      "/triggers/signup",
      "/%zz",
      "/healthz",
    ];
    const { port } = await serve({ triggers, pages: pagesThatTell(), isSecure: true });
    for (const target of targets)
      expect((await sendRaw(port, get(target))).head, target).toMatch(
        /^strict-transport-security: max-age=31536000\r?$/im,
      );
    expect((await sendRaw(port, post("/triggers/signup"))).head).toMatch(/^strict-transport-security: /im);
    const plain = await serve({ triggers, pages: pagesThatTell() });
    for (const target of targets)
      expect((await sendRaw(plain.port, get(target))).head, target).not.toMatch(/^strict-transport-security/im);
  });

  test("answers invalid HTTP with a bare 400, too many headers with 431, and continues", async () => {
    const { port } = await serve({ triggers });
    expect((await sendRaw(port, "\x16\x03\x01\x02\x00\x01\x00\r\n\r\n")).status).toBe(400);
    expect((await sendRaw(port, "GROW /triggers/signup HTTP/1.1\r\nHost: x\r\n\r\n")).status).toBe(400);
    expect((await sendRaw(port, post("/triggers/signup", "Content-Length: 3\r\n"))).status).toBe(400);
    expect((await sendRaw(port, post("/triggers/signup", `X-Long: ${"x".repeat(20_000)}\r\n`))).status).toBe(431);
    expect((await sendRaw(port, post("/triggers/signup"))).status).toBe(202);
  });

  test("answers 404 if there are no pages, and 500 without details if a page fails", async () => {
    const none = await serve({ triggers });
    expect(await sendRaw(none.port, get("/"))).toMatchObject({
      status: 404,
      body: expect.stringContaining("not_found"),
    });
    const failing = await serve({
      triggers,
      pages: { handle: () => Promise.reject(new Error("secret path")) },
      rest: () => Promise.reject(new Error("secret row")),
    });
    for (const target of ["/", "/healthz"]) {
      const answer = await sendRaw(failing.port, get(target));
      expect(answer).toMatchObject({ status: 500, body: expect.stringContaining("internal") });
      expect(answer.body).not.toContain("secret");
    }
    expect(failing.logged.join()).toContain("secret path");
    expect(failing.logged.join()).toContain("secret row");
  });

  test("passes the API its body, and rejects an invalid Host header", async () => {
    const { port } = await serve({ rest: async (request) => new Response(await request.text()) });
    expect(await sendRaw(port, post("/api/v1/echo", "Expect: 100-continue\r\n"))).toMatchObject({
      head: expect.stringContaining("100"),
    });
    expect(await sendRaw(port, post("/api/v1/echo"))).toMatchObject({ status: 200, body: ada });
    expect(await sendRaw(port, "GET /healthz HTTP/1.1\r\nHost: a b/../c\r\nConnection: close\r\n\r\n")).toMatchObject({
      status: 400,
      body: expect.stringContaining("invalid_request"),
    });
  });

  test("streams the API's events as they occur, and notifies it when the client disconnects", async () => {
    const events = new TransformStream<string, string>(undefined, undefined, { highWaterMark: 10 });
    const writer = events.writable.getWriter();
    const gone = vi.fn<() => void>();
    const rest = async (request: Request) => {
      request.signal.addEventListener("abort", gone);
      return new Response(events.readable.pipeThrough(new TextEncoderStream()), {
        headers: { "content-type": "text/event-stream" },
      });
    };
    const { url } = await serve({ rest });
    const reading = new AbortController();
    const response = await fetch(`${url}/api/v1/runs/1/events`, { signal: reading.signal });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (const event of ["data: 1\n\n", "data: 2\n\n"]) {
      void writer.write(event).catch(() => {});
      expect((await reader?.read())?.value).toBe(event);
    }
    expect(gone).not.toHaveBeenCalled();
    reading.abort();
    await vi.waitFor(() => expect(gone).toHaveBeenCalledOnce());
  });

  test("passes local upgrades of the pages' own paths to the pages, and answers all others as requests without an upgrade", async () => {
    const upgraded = vi.fn<(request: IncomingMessage, socket: { end(text: string): void }) => void>((_, socket) =>
      socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
    );
    const { port } = await serve({ triggers, pages: { ...pagesThatTell(), upgrade: upgraded } });
    expect((await sendRaw(port, upgradeOf("/_next/webpack-hmr"))).status).toBe(101);
    expect((await sendRaw(port, upgradeOf("/triggers/signup"))).status).toBe(405);
    expect((await sendRaw(port, upgradeOf("/_next/webpack-hmr", "dev.example.com"))).body).toBe(
      "page GET /_next/webpack-hmr",
    );
    expect(upgraded).toHaveBeenCalledOnce();
    const none = await serve({ triggers });
    expect((await sendRaw(none.port, upgradeOf("/_next/webpack-hmr"))).status).toBe(404);
  });

  test("accepts webhooks of senders that offer HTTP/2, as Java's HttpClient and `curl --http2` do with each first request", async () => {
    const offered = post("/triggers/signup", "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n").replace(
      "Connection: close",
      "Connection: Upgrade, HTTP2-Settings",
    );
    for (const pages of [null, { ...pagesThatTell(), upgrade() {} }]) {
      const { port, store } = await serve({ triggers, pages });
      expect((await sendRaw(port, offered)).status).toBe(202);
      expect(store.runs).toHaveLength(1);
    }
  });
});

describe("closing", () => {
  test("answers requests in progress, accepts no new ones, and does not wait for idle connections", async () => {
    const answer = Promise.withResolvers<Response>();
    const rest = vi.fn<(request: Request) => Promise<Response>>(() => answer.promise);
    const { port, close } = await serve({ triggers, rest });
    const idle = await open(port);
    const busy = fetch(`http://127.0.0.1:${port}/healthz`);
    await vi.waitFor(() => expect(rest).toHaveBeenCalledOnce());
    const closed = close(60_000);
    await new Promise((resolve) => idle.once("close", resolve));
    expect((await sendRaw(port, post("/triggers/signup"))).status).toBe(0);
    answer.resolve(new Response("done"));
    const response = await busy;
    expect([response.headers.get("connection"), await response.text()]).toEqual(["close", "done"]);
    await closed;
  });

  test("interrupts requests that take longer than the grace period", async () => {
    const rest = vi.fn<(request: Request) => Promise<Response>>(() => new Promise(() => {}));
    const { port, close } = await serve({ triggers, rest });
    const busy = await open(port, get("/healthz"));
    await vi.waitFor(() => expect(rest).toHaveBeenCalledOnce());
    await Promise.all([close(10), new Promise((resolve) => busy.once("close", resolve))]);
  });
});

async function open(port: number, text = ""): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1" });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {}).resume();
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  socket.write(text);
  return socket;
}

/** The complete response, after the other side has closed. */
function sendUntilClosed(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1" });
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString("latin1")));
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
    socket.write(bytes);
  });
}
