import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  Agent,
  createServer as createHttp,
  request as send,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { connect, createServer, type Socket } from "node:net";
import { setImmediate, setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { triggerOf } from "../../ingest/testing/project.ts";
import type { AnonymousLimit } from "../anonymous-limit.ts";
import { maxAtOnce, periodMs } from "./forward-turns.ts";
import { credentialsHeader } from "./known-credentials.ts";
import { parseAnswer, sendRaw, type Served, serve } from "../testing/serve.ts";

const triggers = [triggerOf({ slug: "signup", request: z.object({ name: z.string() }) })];
const ada = JSON.stringify({ name: "Ada" });
const webhook = `POST /triggers/signup HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${ada.length}\r\n\r\n${ada}`;
const megabyte = 1024 * 1024;

/** A web process that the test controls: it answers each request that the receiver forwards. */
async function forwardTo(
  handle: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
  options: Parameters<typeof serve>[0] = {},
): Promise<Served> {
  return serve({ triggers, pages: { handle: (request, response) => handle(request, response) }, ...options });
}

const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function openConnection(port: number, text: string): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1" });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  socket.write(text);
  await new Promise<void>((resolve) => void socket.once("connect", resolve));
  return socket;
}

describe("a forwarded request", () => {
  test("has the headers of the client unchanged, and no others", async () => {
    const seen = Promise.withResolvers<string[]>();
    const { port } = await forwardTo((request, response) => {
      seen.resolve(request.rawHeaders);
      response.end();
    });
    const lines = ["Host: example.com", "x-CASE: Kept", "X-Twice: 1", "X-Twice: 2", "Cookie: a=1", "Cookie: b=\xe9"];
    await sendRaw(
      port,
      Buffer.from(`GET /a?b=%20c HTTP/1.1\r\n${lines.join("\r\n")}\r\nConnection: close\r\n\r\n`, "latin1"),
    );
    const raw = await seen.promise;
    const headers = raw.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${raw[at + 1] ?? ""}`] : []));
    expect(headers.filter((line) => !/^connection: /i.test(line))).toEqual(lines);
  });

  test("gets the status, the reason, the headers and the body of web unchanged", async () => {
    const { port } = await forwardTo((_, response) => {
      response.writeHead(418, "Short and stout", [
        "X-CASE",
        "Kept",
        "Set-Cookie",
        "a=1",
        "Set-Cookie",
        "b=2",
        "Content-Length",
        "5",
      ]);
      response.end("coffe");
    });
    const { head, body } = await sendRaw(port, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 418 Short and stout\r\n/);
    for (const line of ["X-CASE: Kept", "Set-Cookie: a=1", "Set-Cookie: b=2"]) expect(head).toContain(`\r\n${line}`);
    expect(head.match(/^(date|connection|content-length):/gim)).toHaveLength(3);
    expect(body).toBe("coffe");
  });

  test.each(["the address of the client", "development"])(
    "cannot forge %s: the header of the receiver is its own",
    async (what) => {
      const clients: unknown[] = [];
      const { port, web } = await serve({
        rest: async () => new Response("rest"),
        limitAnonymous: async (request, _, client) => {
          clients.push({ ...client, requestId: "" }, request.headers["signalbox-peer"], request.rawHeaders.join());
        },
      });
      const forged = what === "development" ? "127.0.0.1" : "203.0.113.9";
      const host = what === "development" ? "evil.example" : "localhost";
      const header = `Signalbox-Peer: ${web.secret} ${forged}\r\n`;
      await sendRaw(
        port,
        `GET /api/v1/runs HTTP/1.1\r\n${header}Host: ${host}\r\n${header}Connection: close, signalbox-peer\r\n\r\n`,
      );
      const [client, header1, raw] = clients;
      expect(client).toMatchObject({
        address: "127.0.0.1",
        remoteReason: what === "development" ? 'this one asks for the host "evil.example"' : null,
      });
      expect(header1).toBeUndefined();
      expect(raw).not.toMatch(/signalbox-peer/i);
    },
  );

  test("is the only kind that web answers: without the secret of this start it closes the connection", async () => {
    const handle = vi.fn<(request: IncomingMessage, response: ServerResponse) => void>();
    const { web } = await forwardTo(handle);
    for (const header of ["", "signalbox-peer: guess 127.0.0.1\r\n", "signalbox-peer: \r\n"]) {
      const socket = connect(web.socket);
      let text = "";
      socket.on("data", (chunk) => (text += String(chunk))).on("error", () => {});
      socket.write(`GET / HTTP/1.1\r\n${header}Host: localhost\r\n\r\n`);
      await new Promise((resolve) => void socket.once("close", resolve));
      expect(text).toBe("");
    }
    expect(handle).not.toHaveBeenCalled();
  });

  test("has one length, and nothing of its body becomes another request", async () => {
    const seen: string[] = [];
    const { port } = await serve({
      rest: async (request) => {
        seen.push(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`);
        return new Response("done");
      },
    });
    const smuggled = "GET /api/v1/smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
    const chunked = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\nX-Trailer: 1\r\n\r\n`;
    const head = "POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
    await sendRaw(port, `${head}Transfer-Encoding: chunked\r\nTrailer: X-Trailer\r\n\r\n${chunked}`);
    await sendRaw(port, `${head}Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`);
    await sendRaw(port, `${head}\r\n${smuggled}`);
    const both = await sendRaw(port, `${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`);
    expect(both.status).toBe(400);
    expect(seen).toEqual([`POST /api/v1/echo ${smuggled}`, `POST /api/v1/echo ${smuggled}`, "POST /api/v1/echo "]);
  });

  test("may have many headers, as many as the receiver admits", async () => {
    const { port } = await forwardTo((request, response) => void response.end(String(request.rawHeaders.length)));
    const many = Array.from({ length: 900 }, (_, n) => `X-${n}: ${"y".repeat(8)}\r\n`).join("");
    const { status, body } = await sendRaw(port, `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${many}\r\n`);
    expect([status, Number(body) > 1_800]).toEqual([200, true]);
  });
});

describe("a body", () => {
  test("of many megabytes passes in both directions, byte by byte", async () => {
    const { url } = await serve({ rest: async (request) => new Response(request.body) });
    const bytes = randomBytes(12 * megabyte);
    const response = await fetch(`${url}/api/v1/echo`, { method: "POST", body: bytes });
    expect(hash(new Uint8Array(await response.arrayBuffer()))).toBe(hash(bytes));
  });

  test("is read from web only as fast as the client reads it", async () => {
    let written = 0;
    const isFull = Promise.withResolvers<void>();
    const { port } = await forwardTo(async (_, response) => {
      for (let n = 0; n < 96 && !response.destroyed; n += 1) {
        written += megabyte;
        if (response.write(Buffer.alloc(megabyte))) continue;
        const drained = new Promise<void>((resolve) => void response.once("drain", resolve));
        await Promise.race([
          drained,
          delay(500)
            .then(isFull.resolve)
            .then(() => drained),
        ]);
      }
      response.end();
    });
    const socket = await openConnection(port, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    socket.pause();
    await isFull.promise;
    expect(written).toBeLessThan(48 * megabyte);
    let received = 0;
    socket.on("data", (chunk) => (received += chunk.length)).resume();
    await new Promise((resolve) => void socket.once("close", resolve));
    expect(received).toBeGreaterThan(96 * megabyte);
  });

  test("is read from the client only as fast as web reads it", async () => {
    const mayRead = Promise.withResolvers<void>();
    const { port } = await serve({
      rest: async (request) => {
        await mayRead.promise;
        return new Response(String((await request.arrayBuffer()).byteLength));
      },
    });
    const length = 64 * megabyte;
    const head = `POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`;
    const socket = await openConnection(port, head);
    let text = "";
    socket.on("data", (chunk) => (text += String(chunk)));
    socket.write(Buffer.alloc(length));
    await vi.waitFor(() => expect(socket.bytesWritten).toBeGreaterThan(head.length));
    await delay(500);
    expect(socket.writableLength).toBeGreaterThan(length / 2);
    mayRead.resolve();
    await new Promise((resolve) => void socket.once("close", resolve));
    expect(parseAnswer(text)).toMatchObject({ status: 200, body: expect.stringContaining(String(length)) });
  });

  test("that web does not read ends with the response and the connection", async () => {
    const { port } = await serve({ rest: async () => new Response("too large", { status: 413 }) });
    const head = "POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n";
    const socket = await openConnection(port, head);
    let text = "";
    socket.on("data", (chunk) => (text += String(chunk)));
    await new Promise((resolve) => void socket.once("close", resolve));
    expect(parseAnswer(text).head).toMatch(/^HTTP\/1\.1 413 [^]*\r\nconnection: close/i);
  });

  test.each([
    ["not at all", async () => {}],
    ["in part", async (request: Request) => void (await request.body?.getReader().read())],
    [
      "until a limit",
      async (request: Request) => {
        for await (const _ of request.body ?? []) break;
      },
    ],
  ])("that web reads %s leaves the connection to web open for the next request", async (_, read) => {
    const { web } = await serve({
      rest: async (request) => {
        await read(request);
        return new Response("done", { status: 413 });
      },
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => void agent.destroy());
    const closed = vi.fn<() => void>();
    const post = (bytes: number) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { host: "localhost", "signalbox-peer": `${web.secret} 127.0.0.1 1.1` };
        send({ agent, socketPath: web.socket, method: "POST", path: "/api/v1/runs", headers })
          .on("socket", (socket) => socket.listenerCount("close", closed) === 0 && socket.once("close", closed))
          .on("response", (response) => response.resume().once("end", () => resolve(response.statusCode)))
          .on("error", reject)
          .end(Buffer.alloc(bytes));
      });
    for (const bytes of [1, 100_000, 1_000_000, 1]) {
      expect(await post(bytes)).toBe(413);
      // The adapter of web gives up after 500 ms.
      await delay(700);
      expect(closed).not.toHaveBeenCalled();
    }
  });

  test("that a client announces with 100-continue is sent when web requests it", async () => {
    const { port } = await serve({ rest: async (request) => new Response(await request.text()) });
    const socket = await openConnection(
      port,
      "POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 5\r\n\r\n",
    );
    let text = "";
    socket.on("data", (chunk) => {
      text += String(chunk);
      if (text === "HTTP/1.1 100 Continue\r\n\r\n") socket.write("hello");
    });
    await new Promise((resolve) => void socket.once("close", resolve));
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n[^]*hello/);
  });
});

describe("a side that ends", () => {
  test("a client that disconnects ends the work of web, before and after the response has begun", async () => {
    const started = vi.fn<() => void>();
    const ended = vi.fn<() => void>();
    const { port } = await forwardTo((request, response) => {
      started();
      response.once("close", ended);
      if (request.url === "/begun") response.write("begun");
    });
    for (const [at, path] of ["/waiting", "/begun"].entries()) {
      const socket = await openConnection(port, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      if (path === "/begun") await new Promise((resolve) => void socket.once("data", resolve));
      await vi.waitFor(() => expect(started).toHaveBeenCalledTimes(at + 1));
      expect(ended).toHaveBeenCalledTimes(at);
      socket.destroy();
      await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(at + 1));
    }
  });

  test("a web process that dies during a response ends the connection, so that no client takes a part for the whole", async () => {
    const { port } = await forwardTo((request, response) => {
      response.write("half", () => request.socket.destroy());
    });
    const socket = await openConnection(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    let text = "";
    socket.on("data", (chunk) => (text += String(chunk)));
    await new Promise((resolve) => void socket.once("close", resolve));
    expect(text).toMatch(/half\r\n$/);
  });

  test("a web process that dies before its response is a 503, and the connection stays", async () => {
    const { port } = await forwardTo((request) => void request.socket.destroy());
    const socket = await openConnection(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    let text = "";
    socket.on("data", (chunk) => (text += String(chunk)));
    await vi.waitFor(() => expect(text).toContain('"web_unavailable"'));
    socket.write(webhook);
    await new Promise((resolve) => void socket.once("close", resolve));
    expect(text).toMatch(/HTTP\/1\.1 202 /);
  });
});

describe("without web", () => {
  test("webhooks are received; everything else is 503 with Retry-After, as a page for browsers", async () => {
    const served = await serve({ triggers });
    await served.closeWeb(0);
    const { port, url } = served;
    expect((await sendRaw(port, webhook)).status).toBe(202);
    const api = await fetch(`${url}/api/v1/runs`);
    expect(api.headers.get("signalbox-request")).toMatch(/^req_/);
    expect([api.status, api.headers.get("retry-after"), await api.json()]).toEqual([
      503,
      "5",
      expect.objectContaining({ code: "web_unavailable", status: 503 }),
    ]);
    const page = await fetch(url, { headers: { accept: "text/html,*/*" } });
    expect([page.status, page.headers.get("retry-after"), page.headers.get("content-type")]).toEqual([
      503,
      "5",
      "text/html; charset=utf-8",
    ]);
    expect(await page.text()).toContain("Webhooks are still received.");
    const upload = await fetch(`${url}/api/v1/runs`, { method: "POST", body: Buffer.alloc(megabyte) }).catch(
      () => null,
    );
    expect([503, undefined]).toContain(upload?.status);
  });

  test("the next web process on the same socket gets the requests", async () => {
    const served = await serve({ triggers });
    await served.closeWeb(0);
    expect((await fetch(`${served.url}/api/v1/runs`)).status).toBe(503);
    const next = createHttp((_, response) => void response.end("the next one"));
    await new Promise<void>((resolve) => void next.listen(served.web.socket, resolve));
    onTestFinished(() => void next.close());
    expect(await (await fetch(`${served.url}/api/v1/runs`)).text()).toBe("the next one");
  });

  test("a web process that accepts connections but answers none delays no webhook, and gets no more requests than the limit", async () => {
    const served = await serve({ triggers, maxForwarded: 12 });
    await served.closeWeb(0);
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => void silent.listen(served.web.socket, resolve));
    const hanging = Array.from({ length: 3 }, () => fetch(`${served.url}/api/v1/runs`).catch(() => null));
    await vi.waitFor(async () => expect((await fetch(`${served.url}/api/v1/runs`)).status).toBe(503));
    expect((await sendRaw(served.port, webhook)).status).toBe(202);
    await served.close(0);
    await Promise.all(hanging);
    silent.close();
  });
});

/** Both ends of the connections to web, which are in this process. */
const countPipes = () => process.getActiveResourcesInfo().filter((name) => name === "PipeWrap").length;

test("a large body that web does not read keeps no connection to web after its response", async () => {
  const { port } = await serve({ triggers, rest: async () => new Response("no", { status: 405 }) });
  const before = countPipes();
  const body = "a".repeat(347_086);
  for (const path of ["/alerts", "/api/v1/runs"])
    for (let n = 0; n < 10; n += 1) {
      const client = connect(port, "127.0.0.1");
      client.on("error", () => {});
      client.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`);
      client.write(body);
      client.resume();
      await once(client, "close");
    }
  // One is idle, for the next request.
  await vi.waitFor(() => expect(countPipes()).toBeLessThanOrEqual(before + 2));
});

test("requests beyond the limit get 503 at once, and those in progress their response", async () => {
  const due = Promise.withResolvers<void>();
  const rest = vi.fn<() => Promise<Response>>(() => due.promise.then(() => new Response("done")));
  const { url, port } = await serve({ triggers, rest, maxForwarded: 32 });
  const first = Array.from({ length: 4 }, () => fetch(`${url}/api/v1/runs`));
  await vi.waitFor(() => expect(rest).toHaveBeenCalledTimes(4));
  for (let n = 0; n < 20; n += 1) {
    expect((await fetch(`${url}/api/v1/runs`)).status).toBe(503);
    // Rejections have no turns of their own.
    expect((await sendRaw(port, "GET / HTTP/1.1\r\nHost: 1.2.3.4.5.6\r\n\r\n")).status).toBe(503);
    expect((await sendRaw(port, webhook)).status).toBe(202);
  }
  due.resolve();
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await fetch(`${url}/api/v1/runs`)).status).toBe(200);
  expect(rest).toHaveBeenCalledTimes(5);
});

/** In place of the check by web. */
const limitAnonymous: AnonymousLimit = async ({ headers }, response) => {
  const isValid = headers.authorization === "Bearer valid" || headers["x-api-key"] === "valid";
  response.setHeader(credentialsHeader, isValid ? "valid" : "invalid");
};

test("floods without valid credentials, from however many addresses, leave requests with valid ones their half", async () => {
  const due = Promise.withResolvers<void>();
  const rest = vi.fn<() => Promise<Response>>(() => due.promise.then(() => new Response("done")));
  const { port } = await serve({ triggers, rest, limitAnonymous, maxForwarded: 32 });
  const get = (from: string, headers: Record<string, string> = {}) =>
    new Promise<number>((resolve, reject) => {
      const request = send({ port, path: "/api/v1/runs", localAddress: from, headers }, (response) => {
        expect(response.headers).not.toHaveProperty(credentialsHeader);
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      request.on("error", reject).end();
    });
  const token = { authorization: "Bearer valid" };
  const key = { "x-api-key": "valid" };
  rest.mockResolvedValueOnce(new Response("done")).mockResolvedValueOnce(new Response("done"));
  expect([await get("127.0.0.2", token), await get("127.0.0.5", key)]).toEqual([200, 200]);
  const anonymous = ["127.0.0.2", "127.0.0.3", "127.0.0.4"].flatMap((from) =>
    Array.from({ length: 20 }, (_, n) => get(from, n % 2 === 0 ? {} : { authorization: `Bearer guess${from}${n}` })),
  );
  const rejected: number[] = [];
  for (const one of anonymous) void one.then((status) => status === 503 && rejected.push(status));
  await vi.waitFor(() => expect(rejected).toHaveLength(44));
  const withToken = Array.from({ length: 8 }, () => get("127.0.0.2", token));
  await vi.waitFor(() => expect(rest).toHaveBeenCalledTimes(2 + 24));
  // One address has half of them. Another one still gets its own.
  expect(await get("127.0.0.2", token)).toBe(503);
  const other = get("127.0.0.5", key);
  due.resolve();
  expect(await Promise.all([...withToken, other])).toEqual(Array.from({ length: 9 }, () => 200));
  expect((await Promise.all(anonymous)).filter((status) => status === 200)).toHaveLength(16);
});

/** `vi.waitUntil` would advance fake timers. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setImmediate();
}

test("requests are forwarded a few at a time, in their order, and more of them after a moment", async () => {
  const seen: string[] = [];
  const due = Promise.withResolvers<void>();
  const { url, port } = await forwardTo(async (request, response) => {
    seen.push(request.url ?? "");
    await due.promise;
    response.end("done");
  });
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const paths = Array.from({ length: 2 * maxAtOnce + 2 }, (_, n) => `/${n}`);
  const sent: Promise<Response>[] = [];
  for (const path of paths.slice(0, maxAtOnce)) {
    sent.push(fetch(url + path));
    await until(() => seen.includes(path));
  }
  const leaving = await openConnection(port, "GET /left HTTP/1.1\r\nHost: x\r\n\r\n");
  sent.push(...paths.slice(maxAtOnce).map((path) => fetch(url + path)));
  // A webhook on a new connection is answered after the receiver has read the requests above.
  expect((await sendRaw(port, webhook)).status).toBe(202);
  expect(seen).toEqual(paths.slice(0, maxAtOnce));
  leaving.destroy();
  expect((await sendRaw(port, webhook)).status).toBe(202);

  vi.advanceTimersByTime(periodMs);
  await until(() => seen.length === 2 * maxAtOnce);
  due.resolve();
  const responses = await Promise.all(sent);
  expect(responses.map(({ status }) => status)).toEqual(paths.map(() => 200));
  expect(seen.toSorted()).toEqual(paths.toSorted());
});

test("an upgraded connection carries bytes in both directions, from the first one", async () => {
  const handshake = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Own: 1\r\n\r\n";
  const { port } = await serve({
    pages: {
      handle: (_, response) => void response.end(),
      upgrade: (_, socket, head) => {
        socket.write(`${handshake}first ${String(head)}`);
        socket.pipe(socket);
      },
    },
  });
  const socket = await openConnection(
    port,
    "GET /_next/webpack-hmr HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nearly",
  );
  let text = "";
  socket.on("data", (chunk) => (text += String(chunk)));
  await vi.waitFor(() => expect(text).toMatch(/X-Own: 1\r\n\r\nfirst .*early/));
  socket.write("later");
  await vi.waitFor(() => expect(text).toMatch(/later$/));
  const ended = new Promise((resolve) => void socket.once("close", resolve));
  socket.end();
  await ended;
});

test("a client can use one connection for webhooks and other requests in turn", async () => {
  const { port } = await serve({ triggers, rest: async () => new Response("rest") });
  const socket = await openConnection(port, "");
  let text = "";
  socket.on("data", (chunk) => (text += String(chunk)));
  const kept = webhook.replace("Connection: close\r\n", "");
  socket.write(`${kept}GET /api/v1/runs HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(3));
  await vi.waitFor(() => expect(text.match(/HTTP\/1\.1 \d+/g)).toHaveLength(6));
  expect(text.match(/HTTP\/1\.1 (\d+)/g)).toEqual(
    Array.from({ length: 3 }, () => ["HTTP/1.1 202", "HTTP/1.1 200"]).flat(),
  );
});

test("an HTTP/1.0 client gets a body without chunks", async () => {
  const { port } = await forwardTo((_, response) => {
    response.write("a");
    response.end("b");
  });
  const { head, body } = await sendRaw(port, "GET / HTTP/1.0\r\nHost: x\r\n\r\n");
  expect(head).not.toMatch(/transfer-encoding/i);
  expect(body).toBe("ab");
});

test("HEAD gets the headers of web, and no body", async () => {
  const { url } = await forwardTo((_, response) => void response.end("a page"));
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    send(url, { method: "HEAD", agent: false }, resolve).on("error", reject).end();
  });
  let text = "";
  for await (const chunk of answer) text += String(chunk);
  expect([answer.statusCode, text]).toEqual([200, ""]);
});
