import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createReceiver, type ReceiverDeps } from "../../ingest/receive.ts";
import { createMemoryDeliveryStore, type MemoryDeliveryStore } from "../../ingest/testing/memory-delivery-store.ts";
import { projectOf } from "../../ingest/testing/project.ts";
import { systemClock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { ProjectSources, TriggerSource } from "../../ports/project.ts";
import type { AnonymousLimit } from "../anonymous-limit.ts";
import type { PageGate } from "../pages/page-gate.ts";
import type { ClosedConnection } from "../../ports/service-report.ts";
import { trustNobody, type TrustedProxies } from "../connections.ts";
import { createForwarder, type WebSocketAddress } from "../forward/forwarder.ts";
import { createWebServer, type PagesHandler } from "../forward/web-server.ts";
import type { HealthHandler } from "../health.ts";
import { createHttpServer } from "../http-server.ts";

export interface Served {
  url: string;
  port: number;
  store: MemoryDeliveryStore;
  /** The whole log, as text. */
  logged: string[];
  /** The address of the web process. */
  web: WebSocketAddress;
  closeWeb(graceMs: number): Promise<void>;
  close(graceMs: number): Promise<void>;
}

interface ServeOptions extends Partial<Omit<ReceiverDeps, "project">> {
  triggers?: readonly TriggerSource[];
  indexes?: ProjectSources["indexes"];
  rest?: (request: Request) => Promise<Response>;
  trpc?: (request: Request) => Promise<Response>;
  pages?: PagesHandler | null;
  limitAnonymous?: AnonymousLimit;
  gate?: PageGate;
  isSecure?: boolean;
  health?: HealthHandler;
  bodyTimeoutMs?: number;
  maxConnections?: number;
  stallMs?: number;
  /** The maximum number of concurrently forwarded requests. */
  maxForwarded?: number;
  proxies?: TrustedProxies;
  onConnectionClosed?: (closed: ClosedConnection) => void;
}

/**
 * A real receiver behind the real server, on a port of the system's choice, with the server of the web process behind a
 * socket.
 */
export async function serve(options: ServeOptions = {}): Promise<Served> {
  const {
    triggers = [],
    indexes = new Map(),
    rest,
    trpc,
    pages = null,
    bodyTimeoutMs = 60_000,
    maxConnections,
    stallMs,
    onConnectionClosed,
    ...deps
  } = options;
  const store = createMemoryDeliveryStore();
  const logged: string[] = [];
  const logger = collectingLogger(logged);
  const project = { ...projectOf(triggers), indexes };
  const ingest = createReceiver({
    project: { current: () => project },
    store,
    authenticate: async () => ({ ok: true, keyId: null }),
    clock: systemClock,
    logger,
    maxBodyBytes: 1024 * 1024,
    isShuttingDown: () => false,
    ...deps,
  });
  const proxies = options.proxies ?? trustNobody;
  const folder = mkdtempSync(join(tmpdir(), "web-"));
  const web = { socket: join(folder, "web"), secret: "secret-of-this-start" };
  const webServer = createWebServer({
    rest: rest ?? (async () => new Response("rest")),
    trpc: trpc ?? (async () => new Response("trpc")),
    auth: async () => new Response("auth"),
    limitAnonymous: options.limitAnonymous ?? (async () => {}),
    gate: options.gate ?? (async () => null),
    proxies,
    pages,
    logger,
    secret: web.secret,
  });
  await new Promise<void>((resolve) => void webServer.server.listen({ path: web.socket }, resolve));
  const receiver = createHttpServer({
    ingest: (request) => ingest(request),
    forwarder: createForwarder({ web, maxInProgress: options.maxForwarded ?? 1_000, proxies, logger }),
    allowsUpgrades: pages?.upgrade !== undefined,
    isSecure: options.isSecure ?? false,
    ...(options.health ? { health: options.health } : {}),
    proxies,
    logger,
    bodyTimeoutMs,
    ...(maxConnections === undefined ? {} : { maxConnections }),
    ...(stallMs === undefined ? {} : { stallMs }),
    ...(onConnectionClosed ? { onConnectionClosed } : {}),
  });
  await new Promise<void>((resolve) => receiver.server.listen(0, "127.0.0.1", resolve));
  const close = async (graceMs: number) => {
    await Promise.all([receiver.close(graceMs), webServer.close(graceMs)]);
  };
  onTestFinished(async () => {
    await close(0);
    rmSync(folder, { recursive: true, force: true });
  });
  const { port } = receiver.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, store, logged, web, closeWeb: webServer.close, close };
}

function collectingLogger(lines: string[]): Logger {
  const write = (message: string, fields?: Record<string, unknown>) =>
    void lines.push(
      `${message} ${JSON.stringify(fields ?? {}, (_, value: unknown) => (value instanceof Error ? `${value.stack} ${String(value.cause)}` : value))}`,
    );
  return { debug: write, info: write, warn: write, error: write };
}

export interface RawAnswer {
  /** 0 if the connection ended without a response. */
  status: number;
  head: string;
  body: string;
}

/** Sends raw bytes. Returns the first complete response, or the bytes that were received until the connection closed. */
export async function sendRaw(port: number, bytes: string | Uint8Array): Promise<RawAnswer> {
  const socket = connect({ port, host: "127.0.0.1" });
  let text = "";
  socket.write(bytes);
  await new Promise<void>((resolve) => {
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (isWhole(text)) resolve();
    });
    socket.once("error", () => resolve());
    socket.once("close", () => resolve());
  });
  socket.destroy();
  return parseAnswer(text);
}

function isWhole(text: string): boolean {
  const { head, body } = parseAnswer(text);
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  return length !== undefined && text.includes("\r\n\r\n") && body.length >= Number(length);
}

export function parseAnswer(text: string): RawAnswer {
  const [head = "", body = ""] = text.split("\r\n\r\n", 2);
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), head, body };
}
