import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Client } from "../auth/access/principal.ts";
import { isHostName } from "../domain/requests/public-url.ts";
import { findRemoteReason } from "../domain/requests/local-request.ts";
import { plainAddress, type TrustedProxies } from "./connections.ts";

const forwardedNames = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-port", "x-forwarded-proto"];

/**
 * The client and the host name that it used. X-Forwarded-* is trusted from trusted proxies only: the forwarded host
 * then replaces `Host`. The headers are removed afterwards in any case, so that later code cannot trust a forged value.
 */
export function readClient(request: IncomingMessage, proxies: TrustedProxies): Client {
  const peer = plainAddress(peerAddressOf(request) ?? "");
  const remoteReason = remoteReasonOf(request);
  const isTls = (request.socket as Partial<TLSSocket>).encrypted === true;
  const isTrusted = isFromProxy(request, proxies);
  const forwarded = {
    for: textOf(request, "x-forwarded-for"),
    host: textOf(request, "x-forwarded-host"),
    proto: textOf(request, "x-forwarded-proto"),
  };
  dropHeaders(request, forwardedNames);
  if (!isTrusted) return { address: peer || null, isSecure: isTls, remoteReason };
  const host = lastOf(forwarded.host);
  if (host !== null && isHostName(host)) setHost(request, host);
  const proto = lastOf(forwarded.proto)?.toLowerCase();
  return {
    address: clientBehind(peer, forwarded.for, proxies),
    isSecure: proto === undefined ? isTls : proto === "https",
    remoteReason,
  };
}

/** Whether a trusted proxy sent a request. */
export function isFromProxy(request: IncomingMessage, proxies: TrustedProxies): boolean {
  return proxies.trusts(plainAddress(peerAddressOf(request) ?? ""));
}

/** Why a request was not made on this machine. Call it before the headers of proxies are removed. `null`: it was. */
export function remoteReasonOf(request: IncomingMessage): string | null {
  const { httpVersion } = peers.get(request) ?? request;
  return findRemoteReason({ peerAddress: peerAddressOf(request), httpVersion, rawHeaders: request.rawHeaders });
}

/** Proxies append addresses. Returns the last address that is not a trusted proxy's. */
function clientBehind(peer: string, forwardedFor: string, proxies: TrustedProxies): string {
  const hops = forwardedFor.split(",").map((hop) => plainAddress(hop.trim()));
  for (const hop of hops.toReversed()) {
    if (isIP(hop) === 0) return peer;
    if (!proxies.trusts(hop)) return hop;
  }
  return hops[0] ?? peer;
}

function lastOf(list: string): string | null {
  return list.split(",").at(-1)?.trim() || null;
}

function textOf({ headers }: IncomingMessage, name: string): string {
  return [headers[name] ?? ""].flat().join(",");
}

function dropHeaders(request: IncomingMessage, names: readonly string[]): void {
  const { rawHeaders } = request;
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2)
    if (names.includes((rawHeaders[at] ?? "").toLowerCase())) rawHeaders.splice(at, 2);
  for (const name of names) delete request.headers[name];
}

function setHost(request: IncomingMessage, host: string): void {
  dropHeaders(request, ["host"]);
  request.rawHeaders.push("Host", host);
  request.headers.host = host;
}

/**
 * The header in which the receiver gives web the address of the client: the secret of this start, the address, and the
 * version of HTTP, with spaces between. The receiver removes it from the requests of clients, and web accepts no
 * request without the secret.
 */
const peerHeader = "signalbox-peer";

const peers = new WeakMap<IncomingMessage, { address: string; httpVersion: string }>();

/** The header of a forwarded request: its name and its value. */
export function peerHeaderOf(request: IncomingMessage, secret: string): [name: string, value: string] {
  return [peerHeader, `${secret} ${request.socket.remoteAddress ?? ""} ${request.httpVersion}`];
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
  const [given = "", address = "", httpVersion = ""] = (rawHeaders[at + 1] ?? "").split(" ", 3);
  if (!isSame(given, secret)) return false;
  // This must come first: Node creates `headers` from the raw headers when they are read for the first time.
  delete request.headers[peerHeader];
  rawHeaders.splice(at, 2);
  peers.set(request, { address, httpVersion });
  return true;
}

/** Whether the receiver forwarded this request to this process. */
export function isForwarded(request: IncomingMessage): boolean {
  return peers.has(request);
}

/** The address of the other side of the connection on which the client sent the request. */
function peerAddressOf(request: IncomingMessage): string | undefined {
  return peers.get(request)?.address ?? request.socket.remoteAddress;
}

function isSame(given: string, secret: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}
