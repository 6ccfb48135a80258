import { AppError } from "../../contract/app-error.ts";

/**
 * Rejects requests from pages of other sites (Sec-Fetch-Site, Origin). In development the API and the endpoints are
 * open to local requests, and so to every page that a browser on this machine shows. Requests under a foreign host name
 * (DNS rebinding) are not local, and need a key. Throws AppError `forbidden`.
 */
export function rejectCrossSite(request: { url: string; headers: Pick<Headers, "get"> }): void {
  const host = request.headers.get("host") ?? new URL(request.url).host;
  const site = request.headers.get("sec-fetch-site");
  const isForeignSite = site !== null && site !== "same-origin" && site !== "none";
  const origin = request.headers.get("origin");
  if (isForeignSite || (origin !== null && !isSameHost(origin, host))) {
    throw new AppError(
      "forbidden",
      "Requests from pages of other sites are rejected, because development needs no key.",
    );
  }
}

/**
 * Rejects requests with a session cookie that come from pages of other sites. `ownHost`: the host of the base URL, if a
 * proxy forwards another one. Throws AppError `forbidden`.
 */
export function rejectForeignOrigin(request: Request, ownHost: string | null): void {
  const origin = request.headers.get("origin");
  const host = request.headers.get("host") ?? new URL(request.url).host;
  const isReading = request.method === "GET" || request.method === "HEAD";
  const site = request.headers.get("sec-fetch-site");
  const isOwn = origin === null || [host, ownHost].some((name) => name !== null && isSameHost(origin, name));
  const isForeign = !isOwn || (!isReading && site !== null && site !== "same-origin");
  if (isForeign) throw new AppError("forbidden", "Requests from pages of other sites cannot use your session.");
}

/**
 * Rejects requests of pages of other sites, with any credentials: the Model Context Protocol requires it against DNS
 * rebinding. Programs send no Origin. `ownHost`: the host of the base URL. Throws AppError `forbidden`.
 */
export function rejectForeignPage(request: Request, ownHost: string): void {
  const origin = request.headers.get("origin");
  const host = request.headers.get("host") ?? new URL(request.url).host;
  if (origin === null || isSameHost(origin, host) || isSameHost(origin, ownHost)) return;
  throw new AppError("forbidden", "Requests from pages of other sites are rejected here.");
}

/**
 * Whether a form was sent by one of our own pages. A form of another site could sign a browser in with a token of its
 * author, or sign it out: SameSite does not prevent a cookie from being set. Browsers send Sec-Fetch-Site to https and
 * localhost only; elsewhere they send Origin, which the pages' Referrer-Policy allows. A form with neither is rejected.
 */
export function isOwnForm({ url, headers }: Request, ownHost: string | null): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || site === "none";
  const origin = headers.get("origin");
  return (
    origin !== null &&
    [headers.get("host") ?? new URL(url).host, ownHost].some((name) => name !== null && isSameHost(origin, name))
  );
}

function isSameHost(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
