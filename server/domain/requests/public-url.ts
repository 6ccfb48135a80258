/** Whether a `Host` or `X-Forwarded-Host` names a host, and nothing else. */
export function isHostName(host: string): boolean {
  // Names that look like addresses and are none, such as 1.2.3.4.5, make no URL.
  return /^[\w.:[\]-]{1,255}$/.test(host) && URL.canParse(`http://${host}`);
}

/**
 * The URL that the sender of a request used, as far as it is known: some senders sign it. That is `baseUrl` with the
 * target of the request, if `baseUrl` is set. Otherwise it is made of `Host`, or of `X-Forwarded-Proto` and
 * `X-Forwarded-Host` if a trusted proxy sent the request. `null`: no host is known.
 */
export function publicUrlOf(p: {
  baseUrl: string | null;
  /** Path and query as sent. */
  target: string;
  headers: ReadonlyMap<string, string>;
  isFromProxy: () => boolean;
}): string | null {
  const { baseUrl, target, headers } = p;
  if (baseUrl !== null) return baseUrl + target;
  const isForwarded = p.isFromProxy();
  const forwardedHost = isForwarded ? lastOf(headers.get("x-forwarded-host")) : null;
  const host = forwardedHost !== null && isHostName(forwardedHost) ? forwardedHost : headers.get("host");
  if (host === undefined || !isHostName(host)) return null;
  const isHttps = isForwarded && lastOf(headers.get("x-forwarded-proto"))?.toLowerCase() === "https";
  return `${isHttps ? "https" : "http"}://${host}${target}`;
}

/** Proxies append to such a header: its last value is that of the nearest proxy. */
function lastOf(list: string | undefined): string | null {
  return list?.split(",").at(-1)?.trim() || null;
}
