import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/**
 * The header in which the receiver gives web the address of the client: the secret of this start, a space, the address.
 * The receiver removes it from the requests of clients, and web accepts no request without the secret.
 */
const peerHeader = "signalbox-peer";

const peers = new WeakMap<IncomingMessage, string>();

/** The header of a forwarded request: its name and its value. */
export function peerHeaderOf(request: IncomingMessage, secret: string): [name: string, value: string] {
  return [peerHeader, `${secret} ${request.socket.remoteAddress ?? ""}`];
}

export function isPeerHeader(lowerCaseName: string): boolean {
  return lowerCaseName === peerHeader;
}

/**
 * Removes the header from a request, and stores the address for `peerAddressOf`. Returns `false` if the receiver of
 * this start did not send the request.
 */
export function acceptForwarded(request: IncomingMessage, secret: string): boolean {
  const { rawHeaders } = request;
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && isPeerHeader(name.toLowerCase()));
  if (at < 0) return false;
  const [given = "", address = ""] = (rawHeaders[at + 1] ?? "").split(" ", 2);
  if (!isSame(given, secret)) return false;
  // This must come first: Node creates `headers` from the raw headers when they are read for the first time.
  delete request.headers[peerHeader];
  rawHeaders.splice(at, 2);
  peers.set(request, address);
  return true;
}

/** Whether the receiver forwarded this request to this process. */
export function isForwarded(request: IncomingMessage): boolean {
  return peers.has(request);
}

/** The address of the other side of the connection on which the client sent the request. */
export function peerAddressOf(request: IncomingMessage): string | undefined {
  return peers.get(request) ?? request.socket.remoteAddress;
}

function isSame(given: string, secret: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}
