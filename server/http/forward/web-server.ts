import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import type { Client } from "../../auth/access/principal.ts";
import { AppError } from "../../contract/app-error.ts";
import { newId } from "../../domain/ids.ts";
import { internalError } from "../../domain/problem.ts";
import type { Logger } from "../../ports/logger.ts";
import type { AnonymousLimit } from "../anonymous-limit.ts";
import { createConnections, maxPipelined, type TrustedProxies, trustNobody } from "../connections.ts";
import { type PageGate, rejectPageRequest } from "../pages/page-gate.ts";
import { problemResponse, toAppError } from "../problem-response.ts";
import { readClient, remoteReasonOf, acceptForwarded } from "../read-client.ts";
import { createUnreadLimit } from "./unread-responses.ts";
import { findDestination } from "../request-path.ts";
import { requestIdHeader, sendProblem } from "../send-problem.ts";

/** Handles every request that is neither a webhook nor for an API. */
export interface PagesHandler {
  handle(request: IncomingMessage, response: ServerResponse, client: Client): void | Promise<void>;
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

interface WebServerParts {
  rest: (request: Request, client: Client) => Promise<Response>;
  /** The internal access of the pages to the service. */
  trpc: (request: Request, client: Client) => Promise<Response>;
  /** Handles sign-in. */
  auth: (request: Request, client: Client) => Promise<Response>;
  /** Runs before the API, sign-in and pages. */
  limitAnonymous: AnonymousLimit;
  /** Runs before each page. */
  gate: PageGate;
  proxies: TrustedProxies;
  /** `null`: there are no pages. */
  pages: PagesHandler | null;
  logger: Logger;
  /** The secret of the receiver, which alone may send requests. */
  secret: string;
}

/**
 * The receiver limits the time of clients and the number of requests. It also closes unused connections: if both sides
 * did, a request could be sent to a connection that is closing.
 */
const unlimited = { headersTimeout: 0, requestTimeout: 0, keepAliveTimeout: 0 };
/** Twice the limit of the receiver, because the receiver adds a header. */
const maxHeaderSize = 32 * 1024;

/**
 * The HTTP server of web, on a local socket: it answers the requests that the receiver forwards, for the API, sign-in
 * and pages. `close` waits up to `graceMs` for requests in progress.
 */
export function createWebServer(parts: WebServerParts): {
  server: http.Server;
  close(graceMs: number): Promise<void>;
} {
  const server = http.createServer({
    ...unlimited,
    maxHeaderSize,
    requireHostHeader: false,
    shouldUpgradeCallback: () => parts.pages?.upgrade !== undefined,
  });
  const { logger } = parts;
  const connections = createConnections(server, { proxies: trustNobody, logger });
  const listener = createListener(parts);
  const handle = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) =>
    connections.inTurn(request, response, maxPipelined.other, () => {
      if (!acceptForwarded(request, parts.secret)) return void response.destroy();
      response.once("close", () => readRest(request));
      listener(request, response, expectsContinue).catch((cause: unknown) => fail(logger, response, cause));
    });
  server.on("request", (request, response) => handle(request, response, false));
  server.on("checkContinue", (request, response) => handle(request, response, true));
  server.on("checkExpectation", (request, response) => handle(request, response, false));
  if (parts.pages?.upgrade) {
    server.on("upgrade", (request, socket, head) => {
      connections.trackUpgrade(socket);
      upgrade(parts, request, socket, head);
    });
  }
  return { server, close: connections.close };
}

/**
 * Reads what is left of a body, so that the connection can take the next request. Otherwise the adapter of the API
 * closes it half a second later, when the receiver may already use it again. What still reads the body pauses it.
 */
function readRest(request: IncomingMessage): void {
  if (request.readableEnded || request.destroyed) return;
  request.removeAllListeners("data");
  request.resume();
}

function createListener({ rest, trpc, auth, limitAnonymous, gate, proxies, pages, logger }: WebServerParts) {
  const listen = (handler: typeof rest) => (client: Client) =>
    getRequestListener((request) => handler(request, client), {
      overrideGlobalObjects: false,
      errorHandler: (error: unknown) => adapterFailure(error, logger, client.requestId),
    });
  const admitUnread = createUnreadLimit();
  const listeners = { rest: listen(rest), trpc: listen(trpc), auth: listen(auth) };
  return async (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): Promise<void> => {
    const destination = findDestination(request.url ?? "");
    if (destination.to === "rejection" || destination.to === "ingest")
      throw new Error(`The receiver forwarded a request that it should have handled (${destination.to}).`);
    const requestId = newId("req");
    response.setHeader(requestIdHeader, requestId);
    const client = { ...readClient(request, proxies), requestId };
    if (destination.to === "pages") {
      const rejection = rejectPageRequest(request, { isDevelopment: pages?.upgrade !== undefined });
      if (rejection?.code === "method_not_allowed") response.setHeader("allow", "GET, HEAD");
      if (rejection) return sendProblem(request, response, rejection);
    }
    const rejection = await settle(() => limitAnonymous(request, response, client));
    if (rejection) return sendProblem(request, response, rejection);
    if (response.destroyed) return;
    if (destination.to !== "pages") {
      const unread = await settle(async () => admitUnread(request, response, client.address));
      if (unread) return sendProblem(request, response, unread);
      if (expectsContinue) response.writeContinue();
      return listeners[destination.to](client)(request, response);
    }
    if (!pages)
      return sendProblem(
        request,
        response,
        new AppError("not_found", "This service has no pages: it serves webhooks and the API only."),
      );
    const redirection = await settle(() => gate(request, client.remoteReason === null));
    if (redirection instanceof AppError) return sendProblem(request, response, redirection);
    if (redirection !== null)
      return void response.writeHead(303, { location: redirection, "cache-control": "no-store" }).end();
    if (expectsContinue) response.writeContinue();
    return pages.handle(request, response, client);
  };
}

/** Returns an expected failure as a value, so that it can be answered. */
async function settle<T>(work: () => Promise<T>): Promise<T | AppError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function upgrade(
  { pages, logger, secret }: WebServerParts,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  socket.on("error", () => socket.destroy());
  // Only local clients may use the socket of the pages' development server.
  if (!acceptForwarded(request, secret) || remoteReasonOf(request) !== null) return void socket.destroy();
  try {
    pages?.upgrade?.(request, socket, head);
  } catch (cause) {
    logger.error("upgrade failed", { error: cause });
    socket.destroy();
  }
}

function fail(logger: Logger, response: ServerResponse, cause: unknown): void {
  logger.error("request failed", { requestId: response.getHeader(requestIdHeader), error: cause });
  if (response.headersSent || response.destroyed) response.destroy();
  else sendProblem(response.req, response, internalError(cause));
}

/** The adapter rejects an invalid Host header with a RequestError, which is an error of the client. */
function adapterFailure(error: unknown, logger: Logger, requestId: string | undefined): Response {
  const isInvalidRequest = error instanceof Error && error.name === "RequestError";
  return problemResponse(
    isInvalidRequest
      ? new AppError("invalid_request", "The Host header or the path of the request is invalid.", { cause: error })
      : toAppError(error, logger, requestId),
  );
}
