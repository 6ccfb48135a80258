import type { Draw } from "./draw.ts";
import type { FuzzRequest } from "./request.ts";

/** The bytes of a case, and how they are sent. */
export interface Wire {
  /** Sent one after the other, with a short pause in between. */
  parts: Buffer[];
  /** What the client does after it has sent them. `leave`: it resets the connection. */
  ending: "read" | "half-close" | "leave" | "read nothing";
}

type Framing = (draw: Draw, request: FuzzRequest) => Wire;

const framings: readonly Framing[] = [
  // Chunks of any size.
  (draw, request) =>
    whole(
      writeHead(request, ["Connection: close", "Transfer-Encoding: chunked"]),
      chunked(draw, request.body ?? Buffer.alloc(0)),
    ),
  // Chunks that are wrong.
  (draw, request) => {
    const size = draw.pick(["", "zz", "-1", "fffffffffffffffff", "0x5", "5;", `5;${"x".repeat(20_000)}`, "2\n", " 5"]);
    return halfClosed(writeHead(request, ["Transfer-Encoding: chunked"]), Buffer.from(`${size}\r\nhello\r\n0\r\n\r\n`));
  },
  // Trailers.
  (draw, request) =>
    whole(
      writeHead(request, ["Connection: close", "Transfer-Encoding: chunked", "Trailer: x-api-key"]),
      Buffer.from(`2\r\n{}\r\n0\r\n${"X-Api-Key: guess\r\n".repeat(draw.between(1, 500))}\r\n`),
    ),
  // A wrong length.
  (draw, request) => {
    const length = (request.body?.length ?? 0) + draw.pick([-1, 1, -5, 5, 1e6, 1e10]);
    return halfClosed(writeHead(request, [`Content-Length: ${length}`]), request.body);
  },
  // Two lengths.
  (draw, request) =>
    halfClosed(
      writeHead(request, [
        `Content-Length: ${request.body?.length ?? 0}`,
        draw.pick(["Content-Length: 7", "Transfer-Encoding: chunked", "Transfer-Encoding: gzip", "Content-Length: +1"]),
      ]),
      request.body,
    ),
  // Many on one connection.
  (draw, request) => {
    const one = whole(writeHead(request, lengthOf(request)), request.body).parts;
    const count = draw.pick([2, 10, 60, 190, 260]);
    return {
      parts: [
        ...Array.from({ length: Math.min(count, Math.ceil(2_000_000 / size(one))) }, () => Buffer.concat(one)),
        closing,
      ],
      ending: draw.chance(0.5) ? "half-close" : "read nothing",
    };
  },
  // The head in parts.
  (draw, request) => {
    const [head, body] = [writeHead(request, lengthOf(request)), request.body ?? Buffer.alloc(0)];
    const bytes = Buffer.concat([head, body]);
    const cut = draw.between(1, bytes.length);
    return { parts: [bytes.subarray(0, cut), bytes.subarray(cut)], ending: "half-close" };
  },
  // A part of it.
  (draw, request) => {
    const bytes = Buffer.concat([writeHead(request, lengthOf(request)), request.body ?? Buffer.alloc(0)]);
    return { parts: [bytes.subarray(0, draw.between(1, bytes.length))], ending: draw.pick(["leave", "half-close"]) };
  },
  // Any bytes in the head.
  (draw, request) => {
    const head = writeHead(request, lengthOf(request));
    for (let n = draw.between(1, 4); n > 0; n -= 1) head[draw.between(0, head.length - 1)] = draw.between(0, 255);
    return halfClosed(head, request.body);
  },
];

const closing = Buffer.from("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
const plainShare = 0.75;

/** Writes a request, mostly as a usual client writes it. */
export function writeWire(draw: Draw, request: FuzzRequest): Wire {
  if (draw.chance(plainShare))
    return whole(writeHead(request, ["Connection: close", ...lengthOf(request)]), request.body);
  return draw.pick(framings)(draw, request);
}

function writeHead({ method, target, headers }: FuzzRequest, lines: readonly string[]): Buffer {
  const all = [...headers.map(([name, value]) => `${name}: ${value}`), ...lines];
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${all.map((line) => `${line}\r\n`).join("")}\r\n`, "latin1");
}

function lengthOf({ body }: FuzzRequest): string[] {
  return body ? [`Content-Length: ${body.length}`] : [];
}

function chunked(draw: Draw, body: Buffer): Buffer {
  const step = Math.max(draw.between(1, 2_000), Math.ceil(body.length / 500));
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; at += step) {
    const chunk = body.subarray(at, at + step);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n"));
  }
  return Buffer.concat([...chunks, Buffer.from("0\r\n\r\n")]);
}

const whole = (...parts: (Buffer | null)[]): Wire => ({ parts: join(parts), ending: "read" });
const halfClosed = (...parts: (Buffer | null)[]): Wire => ({ parts: join(parts), ending: "half-close" });
const join = (parts: (Buffer | null)[]) => [Buffer.concat(parts.filter((part) => part !== null))];
const size = (parts: readonly Buffer[]) => parts.reduce((sum, { length }) => sum + length, 1);
