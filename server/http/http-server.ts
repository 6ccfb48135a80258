import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { AppError } from "../contract/app-error.ts";
import { internalError } from "../domain/problem.ts";
import type { Logger } from "../ports/logger.ts";
import type { ClosedConnection } from "../ports/service-report.ts";
import {
  createConnections,
  endConnectionAfter,
  maxPipelined,
  unparsedCode,
  type TrustedProxies,
} from "./connections.ts";
import type { Forwarder } from "./forward/forwarder.ts";
import type { HealthHandler } from "./health.ts";
import { remoteReasonOf } from "./read-client.ts";
import { type Destination, findDestination } from "./request-path.ts";
import { sendProblem } from "./send-problem.ts";
import { handleWebhook, type Ingest } from "./webhooks/webhook-handler.ts";

interface HttpServerParts {
  ingest: Ingest;
  /** Passes pages, the API and sign-in to web. */
  forwarder: Forwarder;
  /** Answers the health checks. Default: they are forwarded to web. */
  health?: HealthHandler;
  /** Whether local clients may upgrade connections to pages: the pages' development server uses WebSockets. */
  allowsUpgrades: boolean;
  proxies: TrustedProxies;
  /** Whether the base URL is https: browsers then use nothing else for this host (Strict-Transport-Security). */
  isSecure: boolean;
  logger: Logger;
  /** Open connections, of which one client address may have a quarter. Default: no limit. */
  maxConnections?: number;
  /** Called when a connection was closed because a limit was reached. */
  onConnectionClosed?: (closed: ClosedConnection) => void;
  /** Time limit for the body of a webhook. Default: one minute. */
  bodyTimeoutMs?: number;
  /** Time in which a client must read a part of its response. Default: 30 seconds. */
  stallMs?: number;
}

/** A webhook whose body takes longer gets a response. Other requests are interrupted a little later. */
const maxBodyMs = 60_000;
/** Idle connections outlive the 60 s after which load balancers drop theirs. */
const timeouts = {
  headersTimeout: 15_000,
  requestTimeout: maxBodyMs + 10_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
};

/**
 * The HTTP server of the receiver, on the public port: webhooks and health checks are handled here, everything else is
 * forwarded to web. The raw path decides. `close` accepts no new requests, waits up to `graceMs` for requests in
 * progress, then closes their connections.
 */
export function createHttpServer(parts: HttpServerParts): {
  server: http.Server;
  close(graceMs: number): Promise<void>;
} {
  // Node's own response to a request without Host closes the connection only after sending it: pipelined requests would
  // still run.
  const server = http.createServer({
    ...timeouts,
    requireHostHeader: false,
    shouldUpgradeCallback: (request) => parts.allowsUpgrades && isPageUpgrade(request),
  });
  const connections = createConnections(server, { ...parts, onClosed: parts.onConnectionClosed });
  const listener = createListener(parts);
  function handle(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    const destination = findDestination(request.url ?? "");
    const most = destination.to === "ingest" ? maxPipelined.webhooks : maxPipelined.other;
    connections.inTurn(request, response, most, () => {
      if (parts.isSecure) response.setHeader("strict-transport-security", "max-age=31536000");
      if (!namesOneHost(request)) {
        endConnectionAfter(response);
        const error = new AppError("invalid_request", "Send one valid Host header (RFC 9112, 3.2).");
        return parts.forwarder.reject(request, response, error);
      }
      listener(destination, request, response, expectsContinue).catch((cause: unknown) =>
        fail(parts.logger, response, cause),
      );
    });
  }
  server.on("request", (request, response) => handle(request, response, false));
  server.on("checkContinue", (request, response) => handle(request, response, true));
  // Expectations other than 100-continue may be ignored (RFC 9110, 10.1.1).
  server.on("checkExpectation", (request, response) => handle(request, response, false));
  // Without a listener, Node answers such requests like any other. With one, older versions of Node request no
  // callback.
  if (parts.allowsUpgrades) {
    server.on("upgrade", (request, socket, head) => {
      connections.trackUpgrade(socket);
      upgrade(parts, request, socket, head);
    });
  }
  server.on("clientError", (error: NodeJS.ErrnoException, socket) =>
    rejectBytes(error, socket, connections.answeringOn(socket)),
  );
  return {
    server,
    async close(graceMs) {
      await connections.close(graceMs);
      parts.forwarder.close();
    },
  };
}

function createListener({ ingest, forwarder, health, proxies, bodyTimeoutMs = maxBodyMs }: HttpServerParts) {
  return (
    destination: Destination,
    request: IncomingMessage,
    response: ServerResponse,
    expectsContinue: boolean,
  ): Promise<void> =>
    destination.to === "ingest"
      ? handleWebhook({
          ingest,
          bodyTimeoutMs,
          proxies,
          target: destination.target,
          request,
          response,
          expectsContinue,
        })
      : handleOther(destination, request, response);

  async function handleOther(
    destination: Exclude<Destination, { to: "ingest" }>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (destination.to === "rejection")
      return forwarder.reject(request, response, new AppError(destination.code, destination.detail));
    const { to, target } = destination;
    if (to === "rest" && (await health?.(request, response, target))) return;
    forwarder.forward(request, response, target);
  }
}

/**
 * With two Host headers, a proxy in front may use another one than this server, and admit a request that it should not.
 * Web needs the host for a URL. Names are at even indexes.
 */
function namesOneHost({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  let host = "";
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length !== 4 || name.toLowerCase() !== "host") continue;
    hosts += 1;
    host = rawHeaders[at + 1] ?? "";
  }
  return hosts === 1 ? isHost(host) : hosts === 0 && httpVersion === "1.0";
}

function isHost(text: string): boolean {
  return !/[\s/?#@\\]/.test(text) && URL.canParse(`http://${text}`);
}

/** An upgrade may be ignored (RFC 9110, 7.8): clients that support HTTP/2 offer one with each first request. */
function isPageUpgrade(request: IncomingMessage): boolean {
  const { url, headers } = request;
  return (
    headers.upgrade?.toLowerCase() === "websocket" &&
    findDestination(url ?? "").to === "pages" &&
    remoteReasonOf(request) === null
  );
}

function upgrade({ forwarder, logger }: HttpServerParts, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  socket.on("error", () => socket.destroy());
  const destination = findDestination(request.url ?? "");
  // Only local clients may use the socket of the pages' development server.
  if (destination.to !== "pages" || remoteReasonOf(request) !== null) {
    socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    return;
  }
  try {
    forwarder.upgrade({ request, socket, head, target: destination.target });
  } catch (cause) {
    logger.error("upgrade failed", { error: cause });
    socket.destroy();
  }
}

/**
 * Rejects bytes that are not an HTTP request, or not the body of one. Another response would corrupt one that is in
 * progress.
 */
function rejectBytes(error: NodeJS.ErrnoException, socket: Duplex, answering: ServerResponse | undefined): void {
  // The connection is closed after the response in progress: its request asked for that, or too many wait behind it.
  if (error.code === "HPE_CLOSED_CONNECTION" || error.code === unparsedCode) return;
  if (!socket.writable || answering?.headersSent || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  if (answering?.req.complete) {
    // Its sender gets the response, which ends the connection.
    answering.shouldKeepAlive = false;
    return;
  }
  const status = statusOfClientError[error.code ?? ""] ?? "400 Bad Request";
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

const statusOfClientError: Record<string, string> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

function fail(logger: Logger, response: ServerResponse, cause: unknown): void {
  logger.error("request failed", { error: cause });
  if (response.headersSent || response.destroyed) response.destroy();
  else sendProblem(response.req, response, internalError(cause));
}
