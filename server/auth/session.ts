import { parse } from "hono/utils/cookie";
import type { ApiAuthenticator, Principal } from "./principal.ts";

/**
 * How a person opens the pages of a deployed service: an API token, kept by the browser in a cookie that no script can read and that other
 * sites' forms cannot bring along.
 */
const sessionCookie = "signalbox_session";

/** The token in a Cookie header, or `null`. */
export function readSessionToken(headers: Headers): string | null {
  return parse(headers.get("cookie") ?? "", sessionCookie)[sessionCookie] ?? null;
}

/**
 * Answers the sign-in form: a form with `token` (empty: sign out) and `next`, the page that was asked for. Goes back to the pages in any
 * case; `?sign-in=failed` says that the token opens nothing.
 */
export async function answerSignIn(deps: { authenticate: ApiAuthenticator; isSecure: boolean }, request: Request): Promise<Response> {
  if (isFromAnotherSite(request)) return redirect("/");
  const { token, next } = await readForm(request);
  if (token === "") return redirect("/", cookie("", { ...deps, maxAgeSeconds: 0 }));
  const principal = await identify(deps.authenticate, request, token);
  return principal?.kind === "webhook" || principal === null ? redirect(pageOf(next, { hasFailed: true })) : redirect(pageOf(next, { hasFailed: false }), cookie(token, deps));
}

/** A form elsewhere must not put a browser under a token of its author's, nor sign it out: SameSite keeps no cookie from being set. */
function isFromAnotherSite({ headers }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  return site === "cross-site" || site === "same-site";
}

async function readForm(request: Request): Promise<{ token: string; next: string }> {
  const form = await request.formData().catch(() => new FormData());
  const text = (name: string) => {
    const value = form.get(name);
    return typeof value === "string" ? value.trim() : "";
  };
  return { token: text("token"), next: text("next") };
}

/** A page of ours, whatever the form says: never another site's. */
function pageOf(next: string, p: { hasFailed: boolean }): string {
  const origin = "http://pages.invalid";
  const url = URL.canParse(next, origin) ? new URL(next, origin) : new URL(origin);
  // A path that begins with two slashes would name another host.
  const isOurs = next.startsWith("/") && next.length <= 4_000 && url.origin === origin && !url.pathname.startsWith("//");
  const page = isOurs ? url : new URL(origin);
  if (p.hasFailed) page.searchParams.set("sign-in", "failed");
  else page.searchParams.delete("sign-in");
  return page.pathname + page.search;
}

async function identify(authenticate: ApiAuthenticator, request: Request, token: string): Promise<Principal | null> {
  // Not a legal header value: it cannot be a token.
  if (!/^[\w-]{1,200}$/.test(token)) return null;
  return authenticate(new Request(request.url, { headers: { authorization: `Bearer ${token}` } })).catch(() => null);
}

function cookie(value: string, p: { isSecure: boolean; maxAgeSeconds?: number }): string {
  const maxAge = p.maxAgeSeconds === undefined ? "" : `; Max-Age=${p.maxAgeSeconds}`;
  // Lax, so that a link from a colleague opens signed in; everything that changes something is a POST, which Lax keeps out.
  return `${sessionCookie}=${value}; Path=/; HttpOnly; SameSite=Lax${p.isSecure ? "; Secure" : ""}${maxAge}`;
}

function redirect(location: string, setCookie?: string): Response {
  const headers = new Headers({ location, "cache-control": "no-store" });
  if (setCookie) headers.set("set-cookie", setCookie);
  return new Response(null, { status: 303, headers });
}
