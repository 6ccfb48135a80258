import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { BlockList, isIP, isIPv6, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { TransientMap } from "../domain/transient-map.ts";
import type { Logger } from "../ports/logger.ts";
import type { ClosedConnection } from "../ports/service-report.ts";

interface Connection {
  client: Client | null;
  requests: number;
  /** The response in progress. */
  response: ServerResponse | null;
  /** Requests that wait for the previous one. */
  waiting: (() => void)[];
  /** Too many requests waited: the response in progress is its last. */
  isEnding: boolean;
  /** Bytes that the client has taken, as far as is known, and the first check that found no more. */
  sent: { bytes: number; since: number } | null;
}

interface ConnectionOptions {
  /** Open connections. Default: no limit. */
  maxConnections?: number | undefined;
  /** Their connections carry many clients, so no share applies to them. */
  proxies: TrustedProxies;
  logger: Logger;
  onClosed?: ((closed: ClosedConnection) => void) | undefined;
  /** Time in which a client must read a part of its response. Default: 30 seconds. */
  stallMs?: number | undefined;
}

interface Connections {
  /**
   * Handles the requests of a connection one after another. Requests that are pipelined behind a response that closes
   * the connection are not handled at all (RFC 9112, 9.6). If `maxWaiting` requests wait already, the response in
   * progress is the last one.
   */
  inTurn(request: IncomingMessage, response: ServerResponse, maxWaiting: number, handle: () => void): void;
  /** The connection now speaks another protocol: it is never idle. */
  trackUpgrade(socket: Duplex): void;
  /** The response in progress on this connection. */
  answeringOn(socket: Duplex): ServerResponse | undefined;
  close(graceMs: number): Promise<void>;
}

/** The connections of one client address. */
interface Client {
  network: string;
  open: number;
  /** The longest idle connection is first. */
  idle: IdleConnections;
}

type IdleConnections = TransientMap<Duplex, true>;

/**
 * Connections that wait to be accepted. If a burst has more, the kernel drops some, and their clients try again after a
 * second. Linux admits at most `net.core.somaxconn`, which is 4,096 by default.
 */
export const backlog = 4_096;

/**
 * Parsed requests that may wait for their turn on one connection. With more, none of them is handled. Each takes 27 µs
 * to parse and 5 kB. Node makes an exception for each one that is left when the connection closes. Some programs
 * send webhooks without waiting for responses; browsers and clients of the API do not do that.
 */
export const maxPipelined = { webhooks: 64, other: 4 };

const defaultStallMs = 30_000;
/** A client that takes nothing for this share of the time makes room for others. */
const stalledShare = 1 / 6;
const checksPerStall = 30;

/** The share of all connections that one client address may have. */
const shareOf = (maxConnections: number) => Math.max(1, Math.floor(maxConnections / 4));

/**
 * Limits the connections of a server and tracks the requests in progress, so that the server can close without
 * interrupting one. A new connection over a limit replaces one whose client does not read its response, otherwise the
 * connection that was idle for longest. It is closed itself only if all others have a request in progress. A client
 * that reads nothing for `stallMs` loses its connection in any case.
 */
export function createConnections(
  server: Server,
  { maxConnections = Infinity, proxies, logger, onClosed, stallMs = defaultStallMs }: ConnectionOptions,
): Connections {
  const open = new Map<Duplex, Connection>();
  /** The longest idle one is first. */
  const idle: IdleConnections = new TransientMap();
  /** Those whose clients do not read, since when: the longest stalled one is first. */
  const stalled = new Map<Duplex, { client: Client | null; since: number }>();
  const clients = new Map<string, Client>();
  let isClosing = false;
  const checking = setInterval(checkStalled, stallMs / checksPerStall).unref();

  server.on("connection", (socket: Socket) => {
    const client = clientOf(plainAddress(socket.remoteAddress ?? ""));
    if (
      client &&
      client.open >= shareOf(maxConnections) &&
      !makeRoom(socket, { limit: "address", idle: client.idle, client })
    )
      return;
    if (open.size >= maxConnections && !makeRoom(socket, { limit: "total", idle, client })) return;
    const connection: Connection = { client, requests: 0, response: null, waiting: [], isEnding: false, sent: null };
    open.set(socket, connection);
    if (client) {
      clients.set(client.network, client);
      client.open += 1;
    }
    setIdle(socket, connection, true);
    socket.once("close", () => forget(socket));
  });

  function clientOf(address: string): Client | null {
    if (proxies.trusts(address)) return null;
    const network = networkOf(address);
    return clients.get(network) ?? { network, open: 0, idle: new TransientMap() };
  }

  /** Whether the new connection may stay. */
  function makeRoom(
    socket: Socket,
    p: { limit: ClosedConnection["limit"]; idle: IdleConnections; client: Client | null },
  ): boolean {
    const oldestStalled = findStalled(p.limit === "address" ? p.client : null);
    const replaced = oldestStalled ?? p.idle.keys().next().value;
    const connection = oldestStalled ? "stalled" : replaced ? "idle" : "new";
    logClosed(p.client, { limit: p.limit, connection });
    if (replaced) forget(replaced);
    (replaced ?? socket).destroy();
    return replaced !== undefined;
  }

  function logClosed(client: Client | null, closed: ClosedConnection): void {
    logger.warn("connection limit reached", {
      limit: closed.limit,
      closed: closed.connection,
      open: open.size,
      client: client?.network ?? null,
      openOfClient: client?.open ?? null,
    });
    onClosed?.(closed);
  }

  /** `client`: only of this one. */
  function findStalled(client: Client | null): Duplex | undefined {
    const until = performance.now() - stallMs * stalledShare;
    for (const [socket, { client: owner, since }] of stalled) {
      if (since > until) return undefined;
      if (client === null || owner === client) return socket;
    }
    return undefined;
  }

  /**
   * A response is handed over in portions of at most 64 kB. A connection is stalled if the system has taken none of it
   * since the last check, even if the client sends more.
   */
  function checkStalled(): void {
    const now = performance.now();
    for (const [socket, connection] of open) {
      if (!connection.response || socket.writableLength === 0 || !("bytesWritten" in socket)) {
        connection.sent = null;
        stalled.delete(socket);
        continue;
      }
      const bytes = Number(socket.bytesWritten) - socket.writableLength;
      if (connection.sent?.bytes !== bytes) {
        connection.sent = { bytes, since: now };
        stalled.delete(socket);
      } else if (now - connection.sent.since > stallMs) {
        onClosed?.({ limit: "time", connection: "stalled" });
        socket.destroy();
      } else if (!stalled.has(socket)) stalled.set(socket, { client: connection.client, since: connection.sent.since });
    }
  }

  function forget(socket: Duplex): void {
    const connection = open.get(socket);
    if (!connection) return;
    open.delete(socket);
    stalled.delete(socket);
    setIdle(socket, connection, false);
    connection.waiting = [];
    const { client } = connection;
    if (!client) return;
    client.open -= 1;
    if (client.open === 0) clients.delete(client.network);
  }

  /**
   * The client waits for the response in progress, instead of coming back at once with as many requests. If it does not
   * read, it keeps a connection and costs nothing meanwhile.
   */
  function endAfterResponse(socket: Socket, connection: Connection): void {
    logClosed(connection.client, { limit: "pipelined", connection: "waiting" });
    connection.isEnding = true;
    if (connection.response) connection.response.shouldKeepAlive = false;
    connection.waiting = [];
    // Not earlier than with its next request: the end of each request resumes it.
    parseNoMore(socket, () => socket.pause());
  }

  function setIdle(socket: Duplex, { client }: Pick<Connection, "client">, isIdle: boolean): void {
    if (isIdle) {
      idle.set(socket, true);
      client?.idle.set(socket, true);
    } else {
      idle.delete(socket);
      client?.idle.delete(socket);
    }
  }

  function addRequests(socket: Duplex, connection: Connection, count: number): void {
    connection.requests += count;
    if (open.has(socket)) setIdle(socket, connection, connection.requests === 0);
  }

  function begin(socket: Socket, connection: Connection, response: ServerResponse, handle: () => void): void {
    connection.response = response;
    addRequests(socket, connection, 1);
    if (isClosing) response.shouldKeepAlive = false;
    response.on("close", () => {
      addRequests(socket, connection, -1);
      connection.response = null;
      // Its headers may have announced that the connection stays open, before the server began to close.
      if (isClosing || connection.isEnding) socket.destroySoon();
      if (socket.writable) connection.waiting.shift()?.();
    });
    handle();
  }

  return {
    inTurn(request, response, maxWaiting, handle) {
      const { socket } = request;
      const connection = open.get(socket);
      if (!socket.writable || !connection || connection.isEnding) return;
      if (!connection.response) return begin(socket, connection, response, handle);
      if (connection.waiting.length >= maxWaiting) return endAfterResponse(socket, connection);
      connection.waiting.push(() => begin(socket, connection, response, handle));
    },
    trackUpgrade(socket) {
      const connection = open.get(socket);
      if (connection) addRequests(socket, connection, 1);
    },
    answeringOn: (socket) => open.get(socket)?.response ?? undefined,
    async close(graceMs) {
      isClosing = true;
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      for (const { response } of open.values()) if (response) response.shouldKeepAlive = false;
      // Node's own closeIdleConnections does not close connections that never sent a request or were upgraded.
      for (const [socket, { response }] of open) if (!response) socket.destroy();
      const cutOff = setTimeout(() => {
        for (const socket of open.keys()) socket.destroy();
      }, graceMs);
      await closed;
      clearTimeout(cutOff);
      clearInterval(checking);
    },
  };
}

/** What the server reports in `clientError` for requests of a connection that are no longer parsed. */
export const unparsedCode = "HPE_CB_HEADERS_COMPLETE";

/**
 * Makes the response the last one of its connection. Requests behind it are not parsed. Call it before the head is
 * sent.
 */
export function endConnectionAfter(response: ServerResponse): void {
  response.shouldKeepAlive = false;
  parseNoMore(response.req.socket);
}

/**
 * Node parses all requests of a chunk (64 kB, 27 µs for each request), even if no more are handled. This property of
 * its parser, which is not documented, ends that: a negative result is an error.
 */
function parseNoMore(socket: Socket, onNext?: () => void): void {
  const parser: unknown = Reflect.get(socket, "parser");
  if (typeof parser !== "object" || parser === null) return;
  Reflect.set(parser, "onIncoming", (request: IncomingMessage) => {
    forgetHeaders(request);
    onNext?.();
    return -1;
  });
}

/** For a request that is kept longer than it is needed: its headers can be thousands of strings. */
export function forgetHeaders(request: IncomingMessage): void {
  request.rawHeaders = [];
  request.headers = {};
}

/** The client network of an address, for limits: a single IPv6 client usually has a whole /64. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = new URL(`http://[${address.split("%", 1)[0]}]`).hostname.slice(1, -1).split("::");
  const before = head.split(":").filter(Boolean);
  const after = (tail ?? "").split(":").filter(Boolean);
  return [...before, ...Array<string>(8 - before.length - after.length).fill("0"), ...after].slice(0, 4).join(":");
}

/** Returns an IPv4 address in its own form, also if a dual-stack socket reports it as IPv6. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}

/** The trusted proxies: IP addresses and CIDR ranges. */
export type TrustedProxies = { trusts(address: string): boolean };

export const trustNobody: TrustedProxies = { trusts: () => false };

export function trustProxies(ranges: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return { trusts: (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4") };
}
