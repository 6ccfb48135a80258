import { visibleText } from "../../shared/schema/visible-text.ts";

/** Of a text of the sender. */
const maxShown = 100;

/**
 * Headers that proxies, tunnels and CDNs add to forwarded requests. A tunnel's agent runs on this machine and may
 * rewrite `Host` to `localhost`: only these headers then distinguish its requests from local ones.
 */
const addedByForwarders =
  /^(?:(?:forwarded|via|cdn-loop|client-ip|x-forwarded)$|x-forwarded-|x-original-|x-envoy-|x-(?:real|client|cluster-client|azure-client)-?ip$|(?:true|fastly|fly)-client-ip$|cf-|ngrok-|tailscale-|x-tunnel-)/i;

/**
 * Why a request was not made on this machine, as the end of a sentence; `null`: it was. A local request comes from a
 * loopback address, names a loopback host, and was not forwarded. Development is open to such requests alone. nginx
 * forwards in HTTP/1.0 by default, adds no header, and sends its own name for this service as `Host`; browsers and
 * other programs use HTTP/1.1. `rawHeaders`: name, value, name, value, as sent.
 */
export function findRemoteReason(p: {
  peerAddress: string | undefined;
  httpVersion: string;
  rawHeaders: readonly string[];
}): string | null {
  if (p.peerAddress === undefined || !isLoopbackAddress(p.peerAddress)) return "this one comes from another machine";
  if (p.httpVersion === "1.0") return "this one is in HTTP/1.0, which proxies use";
  const forwarded = p.rawHeaders.find((name, at) => at % 2 === 0 && addedByForwarders.test(name));
  if (forwarded !== undefined)
    return `this one has the header ${visibleText(forwarded, maxShown)}, which proxies and tunnels add`;
  const hosts = p.rawHeaders.filter((_, at) => at % 2 === 1 && p.rawHeaders[at - 1]?.toLowerCase() === "host");
  if (hosts.length === 1 && hosts.every(isLoopbackHost)) return null;
  return `this one asks for the host ${JSON.stringify(visibleText(hosts.join(", "), maxShown))}`;
}

/** Whether other machines can reach a service that listens on `host` and has `baseUrl`. */
export function isReachableFromElsewhere({ host, baseUrl }: { host: string; baseUrl: string | null }): boolean {
  return !isLoopbackHost(host.includes(":") ? `[${host}]` : host) || (baseUrl !== null && !isLoopbackUrl(baseUrl));
}

export function isLoopbackUrl(url: string): boolean {
  return isLoopbackHost(new URL(url).host);
}

/**
 * Whether a Host header or a URL, with or without a port, is local. The owner of any domain can point another name at
 * this machine (DNS rebinding).
 */
function isLoopbackHost(host: string): boolean {
  const name = host.replace(/:\d*$/, "").toLowerCase();
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  return isLoopbackAddress(name.replace(/^\[(.*)\]$/, "$1"));
}

function isLoopbackAddress(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127(\.\d{1,3}){3}$/i.test(address);
}
