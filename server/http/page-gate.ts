import type { IncomingMessage } from "node:http";
import { anonymousRoutes } from "../auth/access/access-table.ts";
import type { ApiAuthenticator } from "../auth/access/principal.ts";
import { AppError } from "../contract/app-error.ts";
import type { Mode } from "../config.ts";

/**
 * Where a request for a page is redirected to that may not see it; `null`: it may. `isLocal`: it was made on this
 * machine.
 */
export type PageGate = (request: IncomingMessage, isLocal: boolean) => Promise<string | null>;

/**
 * In front of all pages of a deployed service, before anything of them is drawn: requests that are not signed in are
 * redirected to /sign-in. In development pages are open to local requests; `authenticate` is for the others. Throws
 * AppError `store_unavailable`.
 */
export function createPageGate(deps: { authenticate: ApiAuthenticator; mode: Mode }): PageGate {
  return async (request, isLocal) => {
    if (deps.mode === "development" && isLocal) return null;
    const { url = "/", headers } = request;
    const [path = "/"] = url.split("?", 1);
    if (anonymousRoutes.some(({ isPage, pattern }) => isPage && pattern.test(path))) return null;
    if (await isSignedIn(deps.authenticate, headers)) return null;
    return url === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(withoutInternals(url))}`;
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

/** The pages' own router marks its reads in the query. */
function withoutInternals(url: string): string {
  const parsed = new URL(url, "http://pages.invalid");
  parsed.searchParams.delete("_rsc");
  return (parsed.pathname + parsed.search).slice(0, 2_000);
}
