import { parse } from "hono/utils/cookie";
import { parseNextPage } from "../contract/next-page.ts";
import type { ApiAuthenticator, Principal } from "./principal.ts";
import { isFormOfOurs } from "./refuse-cross-site.ts";

/**
 * How the pages open with an API token, where there is no account: it is kept in a cookie that no script can read and
 * that other sites' forms cannot bring along.
 */
const sessionCookie = "signalbox_session";

/** The token in a Cookie header, or `null`. */
export function readSessionToken(headers: Headers): string | null {
  return parse(headers.get("cookie") ?? "", sessionCookie)[sessionCookie] ?? null;
}

/**
 * Handles the form that takes a token: a form with `token` and `next`, the requested page. Redirects to that page, or
 * back to /sign-in if the token is invalid. `principal`: the signed-in client.
 */
export async function answerSignIn(
  deps: { authenticate: ApiAuthenticator; isSecure: boolean; ownHost: string | null },
  request: Request,
): Promise<{ response: Response; principal: Principal | null }> {
  if (!isFormOfOurs(request, deps.ownHost)) return { response: redirect("/"), principal: null };
  const { token, next } = await readForm(request);
  const principal = await identify(deps.authenticate, request, token);
  if (principal === null || principal.kind === "webhook") {
    return {
      response: redirect(`/sign-in?${new URLSearchParams({ failed: "token", next: parseNextPage(next) })}`),
      principal: null,
    };
  }
  return { response: redirect(parseNextPage(next), [cookie(token, deps.isSecure)]), principal };
}

async function readForm(request: Request): Promise<{ token: string; next: string }> {
  const form = await request.formData().catch(() => new FormData());
  const text = (name: string) => {
    const value = form.get(name);
    return typeof value === "string" ? value.trim() : "";
  };
  return { token: text("token"), next: text("next") };
}

async function identify(authenticate: ApiAuthenticator, request: Request, token: string): Promise<Principal | null> {
  // Not a legal header value: it cannot be a token.
  if (!/^[\w-]{1,200}$/.test(token)) return null;
  return authenticate(new Request(request.url, { headers: { authorization: `Bearer ${token}` } })).catch(() => null);
}

function cookie(value: string, isSecure: boolean): string {
  // Lax, so that a link from a colleague opens signed in; everything that changes something is a POST, which Lax keeps out.
  return `${sessionCookie}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

export function clearCookie(): string {
  return `${cookie("", false)}; Max-Age=0`;
}

export function redirect(location: string, setCookies: readonly string[] = []): Response {
  const headers = new Headers({ location, "cache-control": "no-store" });
  for (const one of setCookies) headers.append("set-cookie", one);
  return new Response(null, { status: 303, headers });
}
