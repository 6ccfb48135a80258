import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import type { Client } from "../auth/access/principal.ts";
import { AppError } from "../contract/app-error.ts";
import { newId } from "../domain/ids.ts";
import { internalError } from "../domain/problem.ts";
import type { Logger } from "../ports/logger.ts";
import type { AnonymousLimit } from "./anonymous-limit.ts";
import { type ClosedConnection, createConnections } from "./connections.ts";
import { handleWebhook, type Ingest } from "./webhooks/webhook-handler.ts";
import { type PageGate, rejectPageRequest } from "./pages/page-gate.ts";
import { type TrustedProxies, isLocal, readClient } from "./read-client.ts";
import { problemResponse, sendProblem, toAppError } from "./problem-response.ts";
import { type Destination, findDestination } from "./request-path.ts";

/** Handles every request that is neither a webhook nor for an API. */
export interface PagesHandler {
  handle(request: IncomingMessage, response: ServerResponse, client: Client): void | Promise<void>;
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

interface HttpServerParts {
  ingest: Ingest;
  rest: (request: Request, client: Client) => Promise<Response>;
  /** The internal access of the pages to the service. */
  trpc: (request: Request, client: Client) => Promise<Response>;
  /** Where people sign in. */
  auth: (request: Request, client: Client) => Promise<Response>;
  /** Runs before the API, sign-in and pages. */
  limitAnonymous: AnonymousLimit;
  /** Runs before each page. */
  gate: PageGate;
  proxies: TrustedProxies;
  /** Whether the base URL is https: browsers then use nothing else for this host (Strict-Transport-Security). */
  isSecure: boolean;
  /** `null`: there are no pages. */
  pages: PagesHandler | null;
  logger: Logger;
  /** Open connections, of which one client address may have a quarter. Default: no limit. */
  maxConnections?: number;
  /** A connection was closed because a limit is reached. */
  onConnectionClosed?: (closed: ClosedConnection) => void;
  /** Time limit for the body of a webhook. Default: one minute. */
  bodyTimeoutMs?: number;
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
 * The HTTP server for webhooks, the API and the pages, which are distinguished by the raw path. `close` accepts no new
 * requests, waits up to `graceMs` for requests in progress, then closes their connections.
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
    shouldUpgradeCallback: (request) => isPageUpgrade(parts, request),
  });
  const connections = createConnections(server, { ...parts, onClosed: parts.onConnectionClosed });
  const listener = createListener(parts);
  const handle = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) =>
    connections.inTurn(request, response, () => {
      if (parts.isSecure) response.setHeader("strict-transport-security", "max-age=31536000");
      if (!namesOneHost(request)) {
        response.setHeader("connection", "close");
        return sendProblem(request, response, new AppError("invalid_request", "Send one Host header (RFC 9112, 3.2)."));
      }
      listener(request, response, expectsContinue).catch((cause: unknown) => fail(parts.logger, response, cause));
    });
  server.on("request", (request, response) => handle(request, response, false));
  server.on("checkContinue", (request, response) => handle(request, response, true));
  // Expectations other than 100-continue may be ignored (RFC 9110, 10.1.1).
  server.on("checkExpectation", (request, response) => handle(request, response, false));
  // Without a listener Node answers such requests as any other; with one, older versions of Node ask for no callback.
  if (parts.pages?.upgrade) {
    server.on("upgrade", (request, socket, head) => {
      connections.trackUpgrade(socket);
      upgrade(parts, request, socket, head);
    });
  }
  server.on("clientError", (error: NodeJS.ErrnoException, socket) =>
    rejectBytes(error, socket, connections.answeringOn(socket)),
  );
  return { server, close: connections.close };
}

/** Has the id of a request. Webhooks have the id of their delivery instead. */
const requestIdHeader = "signalbox-request";

function createListener({
  ingest,
  rest,
  trpc,
  auth,
  limitAnonymous,
  gate,
  proxies,
  pages,
  logger,
  bodyTimeoutMs = maxBodyMs,
}: HttpServerParts) {
  const listen = (handler: typeof rest) => (client: Client) =>
    getRequestListener((request) => handler(request, client), {
      overrideGlobalObjects: false,
      errorHandler: (error: unknown) => adapterFailure(error, logger, client.requestId),
    });
  const listeners = { rest: listen(rest), trpc: listen(trpc), auth: listen(auth) };
  return (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): Promise<void> => {
    const destination = findDestination(request.url ?? "");
    return destination.to === "ingest"
      ? handleWebhook({ ingest, bodyTimeoutMs, target: destination.target, request, response, expectsContinue })
      : handleOther(destination, request, response, expectsContinue);
  };

  async function handleOther(
    destination: Exclude<Destination, { to: "ingest" }>,
    request: IncomingMessage,
    response: ServerResponse,
    expectsContinue: boolean,
  ): Promise<void> {
    if (destination.to === "rejection")
      return sendProblem(request, response, new AppError(destination.code, destination.detail));
    request.url = destination.target;
    const requestId = newId("req");
    response.setHeader(requestIdHeader, requestId);
    const client = { ...readClient(request, proxies), requestId };
    if (destination.to === "pages") {
      const rejection = rejectPageRequest(request, { isDevelopment: pages?.upgrade !== undefined });
      if (rejection?.code === "method_not_allowed") response.setHeader("allow", "GET, HEAD");
      if (rejection) return sendProblem(request, response, rejection);
    }
    const rejection = await settle(limitAnonymous(request, response, client));
    if (rejection) return sendProblem(request, response, rejection);
    if (response.destroyed) return;
    if (destination.to !== "pages") {
      if (expectsContinue) response.writeContinue();
      return listeners[destination.to](client)(request, response);
    }
    if (!pages)
      return sendProblem(
        request,
        response,
        new AppError("not_found", "This service has no pages: it serves webhooks and the API only."),
      );
    const redirection = await settle(gate(request, client.isLocal ?? false));
    if (redirection instanceof AppError) return sendProblem(request, response, redirection);
    if (redirection !== null)
      return void response.writeHead(303, { location: redirection, "cache-control": "no-store" }).end();
    if (expectsContinue) response.writeContinue();
    return pages.handle(request, response, client);
  }
}

/**
 * A proxy in front may use another Host header than this server, and admit a request that it would not. Names are at
 * even indexes.
 */
function namesOneHost({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === "1.0");
}

/** An expected failure becomes a value, to be answered. */
async function settle<T>(work: Promise<T>): Promise<T | AppError> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** An upgrade may be ignored (RFC 9110, 7.8): clients that know HTTP/2 offer one with each first request. */
function isPageUpgrade({ pages }: HttpServerParts, request: IncomingMessage): boolean {
  const { url, headers } = request;
  return (
    pages?.upgrade !== undefined &&
    headers.upgrade?.toLowerCase() === "websocket" &&
    findDestination(url ?? "").to === "pages" &&
    isLocal(request)
  );
}

function upgrade({ pages, logger }: HttpServerParts, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  socket.on("error", () => socket.destroy());
  const destination = findDestination(request.url ?? "");
  // Only local clients may use the socket of the pages' development server.
  if (destination.to !== "pages" || !pages?.upgrade || !isLocal(request)) {
    socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    return;
  }
  request.url = destination.target;
  try {
    pages.upgrade(request, socket, head);
  } catch (cause) {
    logger.error("upgrade failed", { error: cause });
    socket.destroy();
  }
}

/**
 * Rejects bytes that are no HTTP request, or no body of one. If a response is in progress, or due to an earlier
 * request, another response would corrupt it.
 */
function rejectBytes(error: NodeJS.ErrnoException, socket: Duplex, answering: ServerResponse | undefined): void {
  // The request before these bytes asked to close the connection, which happens after its response.
  if (error.code === "HPE_CLOSED_CONNECTION") return;
  const wouldCorrupt = answering !== undefined && (answering.headersSent || answering.req.complete);
  if (!socket.writable || wouldCorrupt || error.code === "ECONNRESET") {
    socket.destroy();
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
  logger.error("request failed", { requestId: response.getHeader(requestIdHeader), error: cause });
  if (response.headersSent || response.destroyed) response.destroy();
  else sendProblem(response.req, response, internalError(cause));
}

/** The adapter rejects a bad Host header with a RequestError, which is the fault of the client. */
function adapterFailure(error: unknown, logger: Logger, requestId: string | undefined): Response {
  const isInvalidRequest = error instanceof Error && error.name === "RequestError";
  return problemResponse(
    isInvalidRequest
      ? new AppError("invalid_request", "The Host header or the path of the request is invalid.", { cause: error })
      : toAppError(error, logger, requestId),
  );
}
