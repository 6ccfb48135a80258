import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { type Duplex, Transform } from "node:stream";
import { AppError } from "../../contract/app-error.ts";
import { newId } from "../../domain/ids.ts";
import type { Logger } from "../../ports/logger.ts";
import { hasBody, requestIdHeader, sendProblem } from "../send-problem.ts";
import { endConnectionAfter, networkOf, plainAddress, type TrustedProxies } from "../connections.ts";
import { createForwardTurns } from "./forward-turns.ts";
import { createKnownCredentials, credentialsHeader, type RequestCredentials } from "./known-credentials.ts";
import { isPeerHeader, peerHeaderOf } from "../read-client.ts";
import { sendUnavailablePage } from "./unavailable-page.ts";

/** The address of web: a socket that only this machine reaches, and the secret that web expects. */
export interface WebSocketAddress {
  socket: string;
  secret: string;
}

export interface Forwarder {
  /** Passes a request to web, and the response back. `target` is in origin form. */
  forward(request: IncomingMessage, response: ServerResponse, target: string): void;
  /** Rejects a request that web need not see. It waits for its turn with those that are forwarded. */
  reject(request: IncomingMessage, response: ServerResponse, error: AppError): void;
  /** `forward` for a request that changes the protocol of its connection. */
  upgrade(p: { request: IncomingMessage; socket: Duplex; head: Buffer; target: string }): void;
  /** Requests in progress, with those that wait. */
  inProgress(): number;
  close(): void;
}

/** The number of idle connections to web that stay open, and for how long. */
const maxIdle = 64;
const idleMs = 30_000;
/** Pages have larger headers than requests may have. */
const maxHeaderSize = 128 * 1024;

/** They describe the client's connection, not the one to web. Node sets those that it needs. */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Forwards requests to web over a local socket, streaming in both directions: each side is read only as fast as the
 * other side reads. If web does not answer, or too many requests are in progress (see `createForwardTurns`), the client
 * gets 503.
 */
export function createForwarder({
  web,
  maxInProgress,
  proxies,
  logger,
}: {
  web: WebSocketAddress;
  maxInProgress: number;
  proxies: TrustedProxies;
  logger: Logger;
}): Forwarder {
  const agent = new http.Agent({ keepAlive: true, maxFreeSockets: maxIdle, scheduling: "lifo", timeout: idleMs });
  const turns = createForwardTurns(maxInProgress);
  const readCredentials = createKnownCredentials();

  function open(request: IncomingMessage, path: string, more: string[], useAgent: http.Agent | false): ClientRequest {
    const { method = "GET" } = request;
    const headers = [...peerHeaderOf(request, web.secret), ...toWeb(request), ...more];
    return http.request({
      socketPath: web.socket,
      agent: useAgent,
      method,
      path,
      headers,
      setHost: false,
      maxHeaderSize,
    });
  }

  function start(
    request: IncomingMessage,
    response: ServerResponse,
    { target, credentials }: { target: string; credentials: RequestCredentials },
  ): void {
    let toWebProcess: ClientRequest;
    try {
      toWebProcess = open(request, target, framingOf(request), agent);
    } catch (cause) {
      // Node's parser admits a little more than its writer.
      const error = new AppError("invalid_request", "The request has a header that cannot be passed on.", { cause });
      return sendProblem(request, response, error);
    }
    let answer: IncomingMessage | null = null;
    // If the client has disconnected, web stops its work.
    response.once("close", () => {
      if (!response.writableFinished) toWebProcess.destroy();
    });
    toWebProcess.on("continue", () => response.writeContinue());
    toWebProcess.on("error", (error) => {
      if (response.destroyed || answer?.complete) return;
      if (response.headersSent) return void response.destroy();
      logger.warn("web did not answer", { error, requestId: nameRequest(response) });
      sendUnavailable(request, response, "The pages and the API are restarting.");
    });
    toWebProcess.on("response", (received) => {
      answer = received;
      credentials.learn(received);
      const pacer = createPacer((bytes, pass) =>
        turns.takeBytes({ credentials: credentials.kind, response, bytes, pass }),
      );
      passBack(received, { request, response, toWebProcess, pacer });
    });
    if (!hasBody(request)) return void toWebProcess.end();
    // Web may answer after reading only the head, and the body may arrive late.
    toWebProcess.flushHeaders();
    request.pipe(toWebProcess);
  }

  function inTurn(
    request: IncomingMessage,
    response: ServerResponse,
    handle: (credentials: RequestCredentials) => void,
  ): void {
    const address = plainAddress(request.socket.remoteAddress ?? "");
    const credentials = readCredentials(request);
    const sender = { credentials: credentials.kind, network: proxies.trusts(address) ? null : networkOf(address) };
    if (turns.take(sender, response, () => handle(credentials))) return;
    const [inProgress, requestId] = [turns.inProgress(), nameRequest(response)];
    logger.warn("request to web rejected: too many in progress", { ...sender, inProgress, requestId });
    sendUnavailable(request, response, "Too many requests to the pages and the API are in progress.");
  }

  return {
    forward: (request, response, target) =>
      inTurn(request, response, (credentials) => start(request, response, { target, credentials })),
    reject: (request, response, error) => inTurn(request, response, () => sendProblem(request, response, error)),
    upgrade({ request, socket, head, target }) {
      const offer = ["Connection", "Upgrade", "Upgrade", request.headers.upgrade ?? ""];
      const toWebProcess = open(request, target, offer, false);
      socket.once("close", () => toWebProcess.destroy());
      toWebProcess.on("error", () => socket.end(bareAnswer("503 Service Unavailable")));
      toWebProcess.on("response", (answer) => {
        answer.resume();
        socket.end(bareAnswer("400 Bad Request"));
      });
      toWebProcess.on("upgrade", (answer, webSocket: Duplex, webHead) => {
        socket.write(headOf(answer));
        socket.write(webHead);
        webSocket.write(head);
        webSocket.on("error", () => socket.destroy());
        webSocket.once("close", () => socket.destroy());
        socket.once("close", () => webSocket.destroy());
        socket.pipe(webSocket).pipe(socket);
      });
      toWebProcess.end();
    },
    inProgress: turns.inProgress,
    close: () => agent.destroy(),
  };
}

/** Sends the response of web to the client. */
function passBack(
  answer: IncomingMessage,
  p: { request: IncomingMessage; response: ServerResponse; toWebProcess: ClientRequest; pacer: Transform },
): void {
  const { request, response, toWebProcess } = p;
  // Web may not read the rest of the body. The rest ends with the response and the connections that it is on.
  if (hasBody(request) && !request.complete) endConnectionAfter(response);
  answer.once("end", () => {
    if (toWebProcess.writableFinished) return;
    request.unpipe(toWebProcess);
    request.resume();
    toWebProcess.destroy();
  });
  answer.on("error", () => {});
  answer.once("close", () => {
    if (!answer.complete) response.destroy();
  });
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? "", endToEnd(answer.rawHeaders));
  // A stream may send nothing for a long time, while its client waits for the status.
  if (answer.headers["content-length"] === undefined) response.flushHeaders();
  answer.pipe(p.pacer).pipe(response);
}

/** Passes each chunk when its bytes may be passed. The other side waits meanwhile. */
const createPacer = (takeBytes: (bytes: number, pass: () => void) => void): Transform =>
  new Transform({
    transform: (chunk: Buffer, _encoding, done) => takeBytes(chunk.length, () => done(null, chunk)),
  });

/** All headers as the client sent them, except those of its connection. */
function toWeb({ rawHeaders, headers }: IncomingMessage): string[] {
  const isChunked = headers["transfer-encoding"] !== undefined;
  return selectHeaders(
    rawHeaders,
    (name) => !hopByHop.has(name) && !isPeerHeader(name) && !(isChunked && name === "content-length"),
  );
}

function endToEnd(rawHeaders: readonly string[]): string[] {
  return selectHeaders(rawHeaders, (name) => !hopByHop.has(name) && name !== credentialsHeader);
}

/** `rawHeaders`: name, value, name, value. */
function selectHeaders(rawHeaders: readonly string[], isWanted: (lowerCaseName: string) => boolean): string[] {
  const selected: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (isWanted(name.toLowerCase())) selected.push(name, rawHeaders[at + 1] ?? "");
  }
  return selected;
}

/** The headers that give web the length of the body: either Content-Length or chunks, never both. */
function framingOf({ headers, method }: IncomingMessage): string[] {
  if (headers["transfer-encoding"] !== undefined) return ["Transfer-Encoding", "chunked"];
  // Without a length, Node would announce chunks.
  if (headers["content-length"] === undefined && !isWithoutBody(method)) return ["Content-Length", "0"];
  return [];
}

const isWithoutBody = (method = "GET") => ["GET", "HEAD", "DELETE", "OPTIONS", "TRACE", "CONNECT"].includes(method);

/** Web names the requests that it answers. */
function nameRequest(response: ServerResponse): string {
  const requestId = newId("req");
  response.setHeader(requestIdHeader, requestId);
  return requestId;
}

function sendUnavailable(request: IncomingMessage, response: ServerResponse, detail: string): void {
  const isForBrowser = request.method === "GET" && /\btext\/html\b/.test(request.headers.accept ?? "");
  if (isForBrowser) return sendUnavailablePage(response);
  sendProblem(request, response, new AppError("web_unavailable", `${detail} Send the request again in a few seconds.`));
}

function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1] ?? ""}\r\n`] : []));
  return `HTTP/1.1 ${statusCode} ${statusMessage ?? ""}\r\n${lines.join("")}\r\n`;
}

const bareAnswer = (status: string) => `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
