import { connect } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

/**
 * Many requests at once, each from an address of its own as a trusted proxy reports it. In a thread of its own, so that
 * it does not delay honest senders.
 */
export interface Flood {
  url: string;
  method: string;
  /** `{n}` in the path, the headers and the body is replaced by the number of the request. */
  path: string;
  headers: Record<string, string>;
  body: string | null;
  count: number;
  /** Number of the first request. */
  from: number;
}

/** The status of a response; without a response, the code of the error. */
export type FloodResult = number | string;

const { url, method, path, headers, body, count, from } = workerData as Flood;
const { hostname, port, host } = new URL(url);
const lines = Object.entries({
  host,
  connection: "close",
  ...headers,
  ...(body !== null && { "content-length": "{length}" }),
}).map(([name, value]) => `${name}: ${value}\r\n`);
const template = `${method} ${path} HTTP/1.1\r\n${lines.join("")}x-forwarded-for: {address}\r\n\r\n`;

/** The status, or why there is none. Written by hand, since an HTTP client would use as much CPU time as the service. */
function send(n: number): Promise<FloodResult> {
  const sent = body === null ? "" : fill(body, n);
  const head = fill(template, n)
    .replace("{length}", String(Buffer.byteLength(sent)))
    .replace("{address}", `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let result: FloodResult = "closed without an answer";
    socket.once("data", (chunk: Buffer) => {
      const statusLine = chunk.toString("latin1", 0, 32);
      result = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1] ?? Number.NaN);
      socket.resume();
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (typeof result !== "number") result = error.code ?? error.message;
    });
    socket.once("close", () => resolve(result));
    socket.write(head + sent);
  });
}

function fill(text: string, n: number): string {
  return text.replaceAll("{n}", String(n));
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of a thread has no origin.
parentPort?.postMessage(await Promise.all(Array.from({ length: count }, (_, at) => send(from + at))));
