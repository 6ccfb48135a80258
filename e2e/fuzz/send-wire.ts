import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Wire } from "./write-wire.ts";

export interface Received {
  status: number;
  head: string;
  body: string;
}

/** Between the parts of a request. */
const pauseMs = 5;
/** The time that a client waits for the first byte, for the next one, and without reading. */
const patience = { firstMs: 8_000, nextMs: 700, unreadMs: 1_000 };
/** An event stream or an export may be endless, and a stream with an event every 500 ms never pauses. */
const maxBytes = 4_000_000;
const maxCaseMs = 10_000;

/** Sends a case on a connection of its own. Resolves to its responses when either side has closed it; never rejects. */
export async function sendWire(port: number, { parts, ending }: Wire, { maxMs = maxCaseMs } = {}): Promise<Received[]> {
  const socket = connect({ port, host: "127.0.0.1" });
  const received: Buffer[] = [];
  let bytes = 0;
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  let timer = setTimeout(() => socket.destroy(), patience.firstMs);
  const limit = setTimeout(() => socket.destroy(), maxMs);
  // The server may close the connection at any time.
  socket.on("error", () => {});
  if (ending !== "read nothing")
    socket.on("data", (chunk: Buffer) => {
      received.push(chunk);
      bytes += chunk.length;
      clearTimeout(timer);
      timer = setTimeout(() => socket.destroy(), bytes > maxBytes ? 0 : patience.nextMs);
    });
  for (const [at, part] of parts.entries()) {
    if (at > 0 && parts.length < 10) await delay(pauseMs);
    if (socket.writable) socket.write(part);
  }
  if (ending === "half-close") socket.end();
  else if (ending === "leave") {
    await delay(pauseMs);
    socket.resetAndDestroy();
  } else if (ending === "read nothing") {
    await delay(patience.unreadMs);
    socket.destroy();
  }
  await closed;
  clearTimeout(timer);
  clearTimeout(limit);
  return readReceived(Buffer.concat(received).toString("latin1"));
}

/** The responses in what a connection brought; the last one may be cut off. */
function readReceived(text: string): Received[] {
  const responses: Received[] = [];
  for (let rest = text; rest.startsWith("HTTP/1.");) {
    const headEnd = rest.indexOf("\r\n\r\n");
    const head = headEnd < 0 ? rest : rest.slice(0, headEnd);
    const status = Number(head.slice(9, 12));
    const after = headEnd < 0 ? "" : rest.slice(headEnd + 4);
    const { body, length } = readBody(status, head, after);
    responses.push({ status, head, body });
    rest = after.slice(length);
  }
  return responses;
}

function readBody(status: number, head: string, after: string): { body: string; length: number } {
  // The response to a HEAD request has the length of a body that does not follow.
  if (status < 200 || status === 204 || status === 304 || after.startsWith("HTTP/1.")) return { body: "", length: 0 };
  const declared = /^content-length: (\d+)\r?$/im.exec(head)?.[1];
  if (declared !== undefined) return { body: after.slice(0, Number(declared)), length: Number(declared) };
  if (!/^transfer-encoding: chunked\r?$/im.test(head)) return { body: after, length: after.length };
  let body = "";
  let at = 0;
  for (;;) {
    const lineEnd = after.indexOf("\r\n", at);
    const size = lineEnd < 0 ? Number.NaN : Number.parseInt(after.slice(at, lineEnd), 16);
    if (Number.isNaN(size)) return { body, length: after.length };
    body += after.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
    if (size === 0) return { body, length: at };
  }
}
