import type { IncomingMessage } from "node:http";
import type { ApiAuthenticator } from "../../auth/access/principal.ts";
import type { Mode } from "../../config.ts";
import { AppError } from "../../contract/app-error.ts";
import { claimsToBeKey, redactText } from "../../domain/privacy/redaction.ts";
import { anonymousRoutes } from "../anonymous-routes.ts";

const maxBodyBytes = 64 * 1024;

/** Returns the URL to redirect a page request to; `null`: the page may be shown. `isLocal`: made on this machine. */
export type PageGate = (request: IncomingMessage, isLocal: boolean) => Promise<string | null>;

/**
 * Redirects requests that are not signed in to /sign-in, before a page is rendered. In development, local requests need
 * no sign-in; `authenticate` checks all others. Throws AppError `store_unavailable`.
 */
export function createPageGate(deps: { authenticate: ApiAuthenticator; mode: Mode }): PageGate {
  return async (request, isLocal) => {
    if (deps.mode === "development" && isLocal) return null;
    const { url = "/", headers } = request;
    const [path = "/"] = url.split("?", 1);
    if (anonymousRoutes.some(({ isPage, pattern }) => isPage && pattern.test(path))) return null;
    if (await isSignedIn(deps.authenticate, headers)) return null;
    return url === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(toNextPage(url))}`;
  };
}

/** A link from another site may open a page. Only the browser's headers for the host and the credentials count. */
async function isSignedIn(
  authenticate: ApiAuthenticator,
  { host, cookie }: IncomingMessage["headers"],
): Promise<boolean> {
  if (cookie === undefined) return false;
  try {
    const headers = new Headers({ host: host ?? "localhost", cookie });
    return (await authenticate(new Request("http://localhost/", { headers }))).kind !== "webhook";
  } catch (error) {
    if (error instanceof AppError && (error.code === "unauthorized" || error.code === "forbidden")) return false;
    throw error;
  }
}

/**
 * Removes the parameter with which the router of the pages marks its requests, and keys: the sender of a webhook may
 * have the wrong path.
 */
function toNextPage(url: string): string {
  const { pathname, searchParams } = new URL(url, "http://pages.invalid");
  const kept = [...searchParams].filter(([name, value]) => name !== "_rsc" && !claimsToBeKey(value));
  const query = kept.length > 0 ? `?${new URLSearchParams(kept)}` : "";
  return redactText(pathname + query, []).slice(0, 2_000);
}

/**
 * Returns why a request is not passed to the pages, or `null`. Pages have no server actions: a POST never reaches Next,
 * which would decode it. Next's development server reports errors by POST. A body of any size would be kept in memory.
 */
export function rejectPageRequest(
  { method, url, headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
  { isDevelopment }: { isDevelopment: boolean },
): AppError | null {
  const isReport = isDevelopment && method === "POST" && url?.startsWith("/__nextjs_");
  if (method !== "GET" && method !== "HEAD" && !isReport)
    return new AppError("method_not_allowed", "Pages accept GET and HEAD only.");
  if (headers["transfer-encoding"] !== undefined)
    return new AppError("body_too_large", "Pages accept only bodies with a Content-Length.");
  if (Number(headers["content-length"] ?? 0) > maxBodyBytes)
    return new AppError("body_too_large", `Pages accept bodies of at most ${maxBodyBytes} bytes.`);
  return null;
}
