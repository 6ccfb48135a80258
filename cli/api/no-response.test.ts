import { createServer as createTcpServer, type AddressInfo, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import type { Failure } from "../terminal/failure.ts";
import { noResponse } from "./no-response.ts";

/** The failure of a request to this URL. */
async function failureOf(url: string, init: RequestInit = {}): Promise<Failure> {
  try {
    await fetch(url, init);
  } catch (cause) {
    return noResponse(url, cause);
  }
  throw new Error("There was a response.");
}

async function listen(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createTcpServer(onSocket).listen(0, "127.0.0.1");
  await new Promise<void>((resolve) => void server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function closedPort(): Promise<number> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await new Promise<void>((resolve) => void server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const textServer = () => listen((socket) => void socket.end("hello\n"));

it.each<[string, () => Promise<Failure>, string, RegExp]>([
  [
    "a port on which no service listens",
    async () => failureOf(`http://127.0.0.1:${await closedPort()}`),
    "connection_refused",
    / refuses the connection: connect ECONNREFUSED/,
  ],
  [
    "a host name that does not exist",
    () => failureOf("http://no-such-host.invalid"),
    "unknown_host",
    / has an unknown host name: getaddrinfo \S+ no-such-host.invalid/,
  ],
  [
    "a service without TLS at an https:// address",
    async () => failureOf(`https://127.0.0.1:${await textServer()}`),
    "tls_failed",
    / has no TLS connection that this machine accepts: /,
  ],
  [
    "a connection that is closed before a response",
    async () =>
      failureOf(`http://127.0.0.1:${await listen((socket) => void socket.once("data", () => socket.destroy()))}`),
    "connection_lost",
    / closed the connection without a response: /,
  ],
  [
    "a server that does not speak HTTP",
    async () => failureOf(`http://127.0.0.1:${await textServer()}`),
    "unexpected_answer",
    / does not respond with HTTP: /,
  ],
  [
    "a header that cannot be sent",
    async () => failureOf("http://127.0.0.1", { headers: [["x-name", "Zoë 👍"]] }),
    "invalid_request",
    / got no request, because it cannot be sent: /,
  ],
  ["a port that fetch forbids", async () => failureOf("http://127.0.0.1:1"), "invalid_request", /bad port/],
])("%s has its own name, and a fix", async (_, request, code, message) => {
  const failure = await request();
  expect(failure.message).toMatch(message);
  expect(failure.details).toMatchObject({ code, fix: expect.stringMatching(/\w/) });
});

const wrapped = (code: string, message: string) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(message), { code }) });

it.each([
  ["UND_ERR_CONNECT_TIMEOUT", "timed_out"],
  ["UND_ERR_HEADERS_TIMEOUT", "timed_out"],
  ["ETIMEDOUT", "timed_out"],
  ["EHOSTUNREACH", "network_unreachable"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "tls_failed"],
  ["CERT_HAS_EXPIRED", "tls_failed"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "tls_failed"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "tls_failed"],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "tls_failed"],
])("the system's error %s is called %s, and is in the message", (code, expected) => {
  const failure = noResponse("https://hooks.example.com", wrapped(code, "the reason"));
  expect(failure.details.code).toBe(expected);
  expect(failure.message).toContain(`the reason (${code})`);
});
