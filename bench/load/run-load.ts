import { connect, type Socket } from "node:net";
import { createResponseReader } from "./read-responses.ts";

/** Requests to one URL. Without `ms` and `count`, they are sent until the load is stopped. */
export interface Load {
  /** Default: POST. */
  method?: "GET" | "POST";
  url: string;
  /** In headers and bodies, `{n}` becomes the number of the request, and `{address}` an IP address for this number. */
  headers?: Record<string, string>;
  /** Header lines after these, as they are sent: for names that repeat. */
  lines?: string;
  /** Sent in turn. A GET has none. */
  bodies?: readonly Uint8Array[];
  connections: number;
  /** How long requests are sent; those in flight are then waited for. */
  ms?: number;
  /** How many requests are sent. */
  count?: number;
  /**
   * A connection that the server closes is opened again. Its request counts with status 0. Not with `perSecond`.
   * Default: the load fails.
   */
  reconnects?: boolean;
  /** Requests a second, sent in a burst each millisecond. Default: as many as the connections carry. */
  perSecond?: number;
  /**
   * The number of requests that each connection sends at once. It never reads a response, and counts with status 0. A
   * connection that the server closes is opened again. Only for loads that are stopped.
   */
  unread?: number;
}

export interface LoadResult {
  /** Responses by status, including late ones: each request that was sent is counted here, or the load failed. */
  statuses: Record<number, number>;
  /** Responses received while requests were sent, and the milliseconds that this took. */
  answered: number;
  ms: number;
  /** Bytes of all responses. */
  bytes: number;
  /**
   * Milliseconds from when a request was due (at a given rate also while it waited for a free connection) to the last
   * byte of its response. Sorted.
   */
  latencies: Float64Array;
  /** The first request and the last response, in milliseconds since the epoch. */
  beganAt: number;
  endedAt: number;
  /** CPU time of this client, as a share of one core. */
  cpu: number;
}

const maxLateMs = 300_000;
/** Between two attempts to connect. */
export const retryMs = 100;

/**
 * Sends requests over connections of its own, one at a time on each: raw sockets and prepared requests, so that the
 * client needs less CPU time than any server.
 */
export async function runLoad(load: Load, stopped?: AbortSignal): Promise<LoadResult> {
  const { perSecond, count = Number.POSITIVE_INFINITY } = load;
  const { host, pathname } = new URL(load.url);
  const requests = (load.bodies ?? [null]).map((body) => prepareRequest(load, body));
  const connections = await Promise.all(Array.from({ length: load.connections }, () => open(load.url)));
  const statuses: Record<number, number> = {};
  const latencies: number[] = [];
  const done = Promise.withResolvers<void>();
  const waiting: number[] = [];
  const idle: ((dueAt: number) => void)[] = [];
  const worked = process.cpuUsage();
  const beganAt = performance.now();
  let [sent, inFlight, answered, bytes, isOver, sentMs] = [0, 0, 0, 0, false, 0];

  const ticking = perSecond === undefined ? null : setInterval(() => sendDue(perSecond), 1);
  if (load.ms !== undefined) setTimeout(stop, load.ms);
  if (stopped?.aborted) stop();
  stopped?.addEventListener("abort", stop);
  for (const connection of connections) serve(connection);
  try {
    await done.promise;
  } finally {
    if (ticking) clearInterval(ticking);
    for (const { socket } of connections) socket.removeAllListeners().destroy();
  }
  const { user, system } = process.cpuUsage(worked);
  return {
    statuses,
    answered,
    ms: sentMs,
    bytes,
    latencies: Float64Array.from(latencies).sort(),
    beganAt: performance.timeOrigin + beganAt,
    endedAt: performance.timeOrigin + performance.now(),
    cpu: (user + system) / 1000 / (performance.now() - beganAt),
  };

  function serve(connection: Connection): void {
    const { socket } = connection;
    let sentAt = 0;
    let isWaiting = false;
    const send = (dueAt: number) => {
      sentAt = dueAt;
      isWaiting = true;
      inFlight += 1;
      const number = sent++;
      socket.write(requests[number % requests.length]?.(number) ?? "");
      if (sent === count) stop();
    };
    const settle = (status: number) => {
      isWaiting = false;
      inFlight -= 1;
      statuses[status] = (statuses[status] ?? 0) + 1;
    };
    const read = createResponseReader((status) => {
      const now = performance.now();
      settle(status);
      latencies.push(now - sentAt);
      if (!isOver) answered += 1;
      const next = perSecond === undefined ? (isOver ? undefined : now) : waiting.shift();
      if (next !== undefined) send(next);
      else if (isOver) endWhenAnswered();
      else idle.push(send);
    });
    connection.onBytes = (received) => {
      bytes += received.length;
      try {
        read(received);
      } catch (error) {
        done.reject(error);
      }
    };
    socket.on("close", () => {
      if (!load.reconnects)
        return done.reject(
          new Error(
            `${host}${pathname} closed a connection after ${sent} requests; statuses so far: ${JSON.stringify(statuses)}`,
          ),
        );
      if (isWaiting) settle(0);
      if (isOver) endWhenAnswered();
      else void reopen();
    });
    socket.on("error", (error) => load.reconnects || done.reject(error));
    if (perSecond !== undefined) idle.push(send);
    else if (!isOver) send(performance.now());
  }

  async function reopen(): Promise<void> {
    if (isOver) return;
    const connection = await open(load.url).catch(() => null);
    if (!connection) return void setTimeout(reopen, retryMs);
    connections.push(connection);
    if (isOver) connection.socket.destroy();
    else serve(connection);
  }

  function sendDue(rate: number): void {
    if (isOver) return;
    const now = performance.now();
    const due = Math.min(count, Math.floor(((now - beganAt) / 1000) * rate));
    while (sent + waiting.length < due) {
      const send = idle.pop();
      if (send) send(now);
      else waiting.push(now);
    }
  }

  function stop(): void {
    if (isOver) return;
    isOver = true;
    sentMs = performance.now() - beganAt;
    endWhenAnswered();
    setTimeout(
      () =>
        done.reject(
          new Error(
            `${inFlight} requests to ${host}${pathname} had no response within ${maxLateMs / 1000} s; statuses so far: ${JSON.stringify(statuses)}`,
          ),
        ),
      maxLateMs,
    ).unref();
  }

  function endWhenAnswered(): void {
    if (inFlight === 0 && waiting.length === 0) done.resolve();
  }
}

/** Returns the bytes of a request by its number. They are prepared once if they have no placeholder. */
export function prepareRequest(load: Load, body: Uint8Array | null): (number: number) => Buffer | string {
  const { host, pathname, search } = new URL(load.url);
  const { method = "POST", headers = {}, lines: more = "" } = load;
  const text = body === null ? "" : Buffer.from(body).toString("latin1");
  const toText = (sent: string, fill: (template: string) => string) => {
    const all = {
      Host: host,
      ...(body === null ? {} : { "Content-Type": "application/json", "Content-Length": String(sent.length) }),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${fill(value)}\r\n`);
    return `${method} ${pathname}${search} HTTP/1.1\r\n${lines.join("")}${more}\r\n${sent}`;
  };
  if (!/\{(n|address)\}/.test(text + JSON.stringify(headers))) {
    const bytes = Buffer.from(
      toText(text, (value) => value),
      "latin1",
    );
    return () => bytes;
  }
  return (number) => {
    const fill = (template: string) =>
      template.replaceAll("{n}", String(number)).replaceAll("{address}", addressOf(number));
    return Buffer.from(toText(fill(text), fill), "latin1");
  };
}

function addressOf(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}

interface Connection {
  socket: Socket;
  onBytes: ((bytes: Buffer) => void) | null;
}

/** Reads into the same memory again and again: a new Buffer for each response would be most of a client's work. */
async function open(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const buffer = Buffer.allocUnsafe(64 * 1024);
  const callback = (length: number) => {
    connection.onBytes?.(buffer.subarray(0, length));
    return true;
  };
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread: { buffer, callback } });
  const connection: Connection = { socket, onBytes: null };
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  return connection;
}
