import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Client } from "../auth/access/principal.ts";
import { isLocalRequest } from "../domain/requests/local-request.ts";
import { peerAddressOf } from "./forward/peer-header.ts";

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

const forwardedNames = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-port", "x-forwarded-proto"];

/**
 * The client and the host name that it used. X-Forwarded-* is trusted from trusted proxies only: the forwarded host
 * then replaces `Host`. The headers are removed afterwards in any case, so that later code cannot trust a forged value.
 */
export function readClient(request: IncomingMessage, proxies: TrustedProxies): Client {
  const peer = plainAddress(peerAddressOf(request) ?? "");
  const isOfThisMachine = isLocal(request);
  const isTls = (request.socket as Partial<TLSSocket>).encrypted === true;
  const isTrusted = proxies.trusts(peer);
  const forwarded = {
    for: textOf(request, "x-forwarded-for"),
    host: textOf(request, "x-forwarded-host"),
    proto: textOf(request, "x-forwarded-proto"),
  };
  dropHeaders(request, forwardedNames);
  if (!isTrusted) return { address: peer || null, isSecure: isTls, isLocal: isOfThisMachine };
  const host = lastOf(forwarded.host);
  if (host !== null && /^[\w.:[\]-]{1,255}$/.test(host)) setHost(request, host);
  const proto = lastOf(forwarded.proto)?.toLowerCase();
  return {
    address: clientBehind(peer, forwarded.for, proxies),
    isSecure: proto === undefined ? isTls : proto === "https",
    isLocal: isOfThisMachine,
  };
}

/** Whether a request was made on this machine. Call it before the headers of proxies are removed. */
export function isLocal(request: IncomingMessage): boolean {
  return isLocalRequest({ peerAddress: peerAddressOf(request), rawHeaders: request.rawHeaders });
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

/** Returns an IPv4 address in its own form, also if a dual-stack socket reports it as IPv6. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
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
