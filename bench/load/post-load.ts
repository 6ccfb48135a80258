import { connect, type Socket } from "node:net";
import { createResponseReader } from "./read-responses.ts";

export interface PostLoad {
  url: string;
  headers: Record<string, string>;
  /** Sent in turn. */
  bodies: readonly Uint8Array[];
  connections: number;
  /** How long new requests are sent; those on their way are then waited for. */
  ms: number;
  /** Requests a second, sent in a burst each millisecond; as many as the connections carry where it is null. */
  perSecond: number | null;
}

export interface PostLoadResult {
  /** Answers by status, those that came late too: every request that was sent has its answer here, or the load failed. */
  statuses: Record<number, number>;
  /** Answers that came while requests were sent, and the milliseconds that this was. */
  answered: number;
  ms: number;
  /**
   * Milliseconds from when a request was due (at a given rate also while it waited for a free connection) to the last
   * byte of its answer. Sorted.
   */
  latencies: Float64Array;
  /** When the last answer came, milliseconds since the epoch. */
  endedAt: number;
  /** CPU of this client, as part of one core. */
  cpu: number;
}

const waitForLateMs = 30_000;

/**
 * Posts over kept connections of its own, one request at a time on each: raw sockets and requests made beforehand, to
 * stay lighter than any server.
 */
export async function postLoad(load: PostLoad): Promise<PostLoadResult> {
  const requests = load.bodies.map((body) => requestBytes(load, body));
  const connections = await Promise.all(Array.from({ length: load.connections }, () => open(load.url)));
  const statuses: Record<number, number> = {};
  const latencies: number[] = [];
  const done = Promise.withResolvers<void>();
  const waiting: number[] = [];
  const idle: ((dueAt: number) => void)[] = [];
  const worked = process.cpuUsage();
  const beganAt = performance.now();
  let [sent, inFlight, answered, isOver] = [0, 0, 0, false];

  for (const connection of connections) serve(connection);
  const ticking = load.perSecond === null ? null : setInterval(() => sendDue(load.perSecond ?? 0), 1);
  setTimeout(stop, load.ms);
  await done.promise;
  const { user, system } = process.cpuUsage(worked);
  for (const { socket } of connections) socket.removeAllListeners().destroy();
  const ms = performance.now() - beganAt;
  return {
    statuses,
    answered,
    ms: load.ms,
    latencies: Float64Array.from(latencies).sort(),
    endedAt: Date.now(),
    cpu: (user + system) / 1000 / ms,
  };

  function serve(connection: Connection): void {
    const { socket } = connection;
    let sentAt = 0;
    const send = (dueAt: number) => {
      sentAt = dueAt;
      inFlight += 1;
      socket.write(requests[sent++ % requests.length] ?? "");
    };
    const read = createResponseReader((status) => {
      const now = performance.now();
      inFlight -= 1;
      statuses[status] = (statuses[status] ?? 0) + 1;
      latencies.push(now - sentAt);
      if (!isOver) answered += 1;
      const next = load.perSecond === null ? (isOver ? undefined : now) : waiting.shift();
      if (next !== undefined) send(next);
      else if (isOver) endWhenAnswered();
      else idle.push(send);
    });
    connection.onBytes = (bytes) => {
      try {
        read(bytes);
      } catch (error) {
        done.reject(error);
      }
    };
    socket.on("close", () =>
      done.reject(
        new Error(
          `${new URL(load.url).host} closed a connection after ${sent} requests; statuses so far: ${JSON.stringify(statuses)}`,
        ),
      ),
    );
    socket.on("error", (error) => done.reject(error));
    if (load.perSecond === null) send(performance.now());
    else idle.push(send);
  }

  function sendDue(perSecond: number): void {
    if (isOver) return;
    const now = performance.now();
    const due = Math.floor(((now - beganAt) / 1000) * perSecond);
    while (sent + waiting.length < due) {
      const send = idle.pop();
      if (send) send(now);
      else waiting.push(now);
    }
  }

  function stop(): void {
    isOver = true;
    if (ticking) clearInterval(ticking);
    endWhenAnswered();
    setTimeout(
      () =>
        done.reject(
          new Error(`${inFlight} requests to ${new URL(load.url).host} had no answer within ${waitForLateMs / 1000} s`),
        ),
      waitForLateMs,
    ).unref();
  }

  function endWhenAnswered(): void {
    if (inFlight === 0 && waiting.length === 0) done.resolve();
  }
}

function requestBytes(load: PostLoad, body: Uint8Array): Buffer {
  const { host, pathname, search } = new URL(load.url);
  const headers = {
    Host: host,
    "Content-Type": "application/json",
    "Content-Length": String(body.length),
    ...load.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n`), body]);
}

interface Connection {
  socket: Socket;
  onBytes: ((bytes: Buffer) => void) | null;
}

/** Reads into one piece of memory over and over: a fresh Buffer for every answer is what a client spends most on. */
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
