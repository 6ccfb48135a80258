import { createServer, IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { silentLogger } from "../ports/logger.ts";
import {
  createConnections,
  endConnectionAfter,
  maxPipelined,
  networkOf,
  unparsedCode,
  trustNobody,
  trustProxies,
} from "./connections.ts";
import { type Served, serve } from "./testing/serve.ts";

const getPath = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const get = getPath("/healthz");

describe("a server with eight connections, of which one client address may have two", () => {
  test("closes the longest idle connection of an address to admit its third one, and leaves other addresses alone", async () => {
    const { port, closed, logged } = await start();
    const other = await open(port, "127.0.0.3");
    const [first, second] = [await open(port, "127.0.0.2"), await open(port, "127.0.0.2")];
    // The older one is used: now the other one is idle for longer.
    await first.answers(get);
    const third = await open(port, "127.0.0.2");
    await second.ended;
    for (const one of [first, third, other]) await one.answers(get);
    expect(closed).toEqual([{ limit: "address", connection: "idle" }]);
    expect(logged).toEqual([
      expect.stringMatching(
        /^connection limit reached .*"limit":"address","closed":"idle","open":3,"client":"127\.0\.0\.2"/,
      ),
    ]);
  });

  test("closes the longest idle connection of all to admit a ninth one", async () => {
    const { port, closed } = await start();
    const [first, ...rest] = await openEach(port, [
      "127.0.0.2",
      "127.0.0.2",
      "127.0.0.3",
      "127.0.0.3",
      "127.0.0.4",
      "127.0.0.4",
      "127.0.0.5",
      "127.0.0.5",
    ]);
    const ninth = await open(port, "127.0.0.6");
    await first?.ended;
    for (const one of [...rest, ninth]) await one.answers(get);
    expect(closed).toEqual([{ limit: "total", connection: "idle" }]);
  });

  test("never closes a connection with a request in flight: if there are no others, the new one is closed", async () => {
    const due = Promise.withResolvers<void>();
    const rest = vi.fn<() => Promise<Response>>(() => due.promise.then(() => new Response("done")));
    const { port, closed } = await start({ rest });
    const busy = await openEach(port, ["127.0.0.2", "127.0.0.2"]);
    const answered = busy.map((one) => one.answers(get));
    await vi.waitFor(() => expect(rest).toHaveBeenCalledTimes(2));
    await (
      await open(port, "127.0.0.2")
    ).ended;
    expect(closed).toEqual([{ limit: "address", connection: "new" }]);
    due.resolve();
    await Promise.all(answered);
  });

  test("counts no share for a trusted proxy, whose connections carry many clients", async () => {
    const { port, closed } = await start({ proxies: trustProxies(["127.0.0.2"]) });
    const all = await openEach(
      port,
      Array.from({ length: 8 }, () => "127.0.0.2"),
    );
    for (const one of all) await one.answers(get);
    expect(closed).toEqual([]);
  });

  test("forgets connections that have ended", async () => {
    const { port, closed } = await start();
    for (let n = 0; n < 20; n += 1) {
      const one = await open(port, "127.0.0.2");
      await one.answers(get.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
      await one.ended;
    }
    expect(closed).toEqual([]);
  });
});

describe("clients that do not read their responses", () => {
  const bytes = 16 * 1024 * 1024;
  const rest = vi.fn<() => Promise<Response>>(async () => new Response(new Uint8Array(bytes)));
  const getMuch = getPath("/api/v1/openapi.json");
  const four = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"];

  test("make room for new connections although each has a request in flight, and lose their connection after a while", async () => {
    const { port, closed } = await start({ rest, stallMs: 30_000 });
    for (const address of [...four, ...four]) await openSilently(port, address, getMuch.repeat(20));
    await vi.waitFor(() => expect(rest).toHaveBeenCalledTimes(8), { timeout: 120_000 });
    const sender = await vi.waitFor(
      async () => {
        const one = await open(port, "127.0.0.6");
        await one.answers(get);
        return one;
      },
      { timeout: 120_000, interval: 100 },
    );
    expect(closed).toContainEqual({ limit: "total", connection: "stalled" });
    await vi.waitFor(() => expect(closed).toContainEqual({ limit: "time", connection: "stalled" }), {
      timeout: 120_000,
    });
    await sender.answers(get);
  });

  test("are not those that read slowly", async () => {
    const { port, closed } = await start({ rest, stallMs: 5_000 });
    const slow = await openSilently(port, "127.0.0.2", getMuch.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
    const reading = setInterval(() => slow.socket.read(512 * 1024) ?? slow.socket.read(), 200);
    onTestFinished(() => clearInterval(reading));
    await slow.ended;
    expect(slow.socket.bytesRead).toBeGreaterThan(bytes);
    expect(closed).toEqual([]);
  });
});

test.each([
  // No webhook: the first one is rejected, and so the last one.
  { path: "/triggers/signup", most: 64, done: 1 },
  { path: "/api/v1/openapi.json", most: 4, done: 5 },
])(
  "at most $most requests wait on a connection ($path): with more, the response in progress is the last",
  async ({ path, most, done }) => {
    const due = Promise.withResolvers<void>();
    const { port, closed, logged } = await start({
      rest: async ({ url }) => {
        if (!url.endsWith("/healthz")) await due.promise;
        return new Response("done");
      },
    });
    const first = getPath("/api/v1/runs");
    const next = getPath(path);
    const send = async (waiting: number) => {
      const one = await open(port, "127.0.0.2");
      one.send(first + next.repeat(waiting));
      return one;
    };
    const [all, tooMany] = [await send(most), await send(most + 1)];
    await vi.waitFor(() => expect(closed).toEqual([{ limit: "pipelined", connection: "waiting" }]));
    expect(logged.join()).toContain('"limit":"pipelined","closed":"waiting"');
    due.resolve();
    await tooMany.ended;
    expect(answersOf(tooMany)).toBe(1);
    await vi.waitFor(() => expect(answersOf(all)).toBe(done));
  },
);

test("requests behind too many are neither parsed nor read, and the connection ends with the response in progress", async () => {
  const due = Promise.withResolvers<void>();
  const { port, errors, handled, parsed } = await serveCounted((response) => {
    void due.promise.then(() => response.end("done"));
  });
  const client = await open(port, "127.0.0.1");
  client.send(getPath("/").repeat(2_000));
  await vi.waitFor(() => expect(errors).toEqual([unparsedCode]));
  client.send(getPath("/").repeat(100_000));
  const other = await open(port, "127.0.0.1");
  other.send(getPath("/other"));
  await vi.waitFor(() => expect(handled).toEqual(["/", "/other"]));
  due.resolve();
  await client.ended;
  expect(handled).toEqual(["/", "/other"]);
  expect(errors).toEqual([unparsedCode]);
  // The one in progress, those that wait, two more, and the one of the other connection.
  expect(parsed()).toBe(1 + 64 + 2 + 1);
});

test("requests behind the last response of a connection are not parsed, and do not cost it its response", async () => {
  const due = Promise.withResolvers<void>();
  const { port, handled, parsed } = await serveCounted((response) => {
    endConnectionAfter(response);
    response.write("begun, ");
    void due.promise.then(() => response.end("done"));
  });
  const client = await open(port, "127.0.0.1");
  client.send(getPath("/").repeat(2_000));
  const other = await open(port, "127.0.0.1");
  other.send(getPath("/other"));
  await vi.waitFor(() => expect(handled).toEqual(["/", "/other"]));
  client.send(getPath("/").repeat(2_000));
  due.resolve();
  await client.ended;
  expect(client.text()).toContain("begun, ");
  expect(client.text()).toContain("done");
  expect(handled).toEqual(["/", "/other"]);
  // One more than is handled.
  expect(parsed()).toBe(1 + 1 + 1);
});

/** A server that counts the requests that it parses. */
async function serveCounted(handle: (response: ServerResponse) => void) {
  let parsed = 0;
  class Counted extends IncomingMessage {
    constructor(socket: Socket) {
      super(socket);
      parsed += 1;
    }
  }
  const server = createServer({ IncomingMessage: Counted });
  const connections = createConnections(server, { proxies: trustNobody, logger: silentLogger });
  const handled: string[] = [];
  server.on("request", (request, response) =>
    connections.inTurn(request, response, maxPipelined.webhooks, () => {
      handled.push(request.url ?? "");
      handle(response);
    }),
  );
  const errors: unknown[] = [];
  server.on("clientError", ({ code }: NodeJS.ErrnoException) => errors.push(code));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => connections.close(0));
  const { port } = server.address() as AddressInfo;
  return { port, errors, handled, parsed: () => parsed };
}

test("all IPv6 addresses of one network count as one client, however they are written", () => {
  const written = ["2001:db8:0:1::1", "2001:db8:0:1:ffff::", "2001:DB8::1:0:0:0:9", "2001:0db8:0000:0001:1:2:3:4"];
  expect(new Set(written.map(networkOf)).size).toBe(1);
  const others = Array.from({ length: 12 }, (_, at) => networkOf(`2001:db8:0:${at}::1`));
  expect(new Set(others).size).toBe(12);
  expect(["::1", "192.0.2.1", ""].map(networkOf)).toEqual(["0:0:0:0", "192.0.2.1", ""]);
});

const answersOf = ({ text }: Client) => text().match(/HTTP\/1\.1 200/g)?.length ?? 0;

async function start(options: Parameters<typeof serve>[0] = {}): Promise<Served & { closed: unknown[] }> {
  const closed: unknown[] = [];
  const served = await serve({ maxConnections: 8, onConnectionClosed: (one) => closed.push(one), ...options });
  return { ...served, closed };
}

async function openEach(port: number, addresses: readonly string[]): Promise<Client[]> {
  const clients: Client[] = [];
  for (const address of addresses) clients.push(await open(port, address));
  return clients;
}

interface Client {
  /** Sends the request, and resolves when its response begins with 200. */
  answers(request: string): Promise<void>;
  send(requests: string): void;
  /** Everything received. */
  text(): string;
  ended: Promise<void>;
}

/** Each address of the loopback network is a client of its own. */
async function open(port: number, localAddress: string): Promise<Client> {
  const socket: Socket = connect({ port, host: "127.0.0.1", localAddress });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  let text = "";
  socket.on("data", (chunk) => void (text += String(chunk)));
  return {
    ended,
    send: (requests) => void socket.write(requests),
    text: () => text,
    answers: (request) =>
      new Promise((resolve, reject) => {
        socket.once("data", (text) =>
          String(text).startsWith("HTTP/1.1 200") ? resolve() : reject(new Error(String(text))),
        );
        socket.once("close", () => reject(new Error("the connection ended without a response")));
        socket.write(request);
      }),
  };
}

async function openSilently(port: number, localAddress: string, request: string) {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  // With this listener, the socket reads only what is asked for.
  socket.on("readable", () => {});
  await new Promise<void>((resolve) => void socket.write(request, () => resolve()));
  return { socket, ended };
}
