import { parse } from "hono/utils/cookie";
import { parseNextPage } from "../../contract/access/next-page.ts";
import { includesScope } from "../../contract/access/scope.ts";
import { type ApiAuthenticator, type Principal, scopeOf } from "../access/principal.ts";
import { tokenSessionCookie } from "./credentials.ts";
import { isOwnForm } from "./cross-site.ts";

/** The API token in the session cookie, or `null`. */
export function readSessionToken(headers: Headers): string | null {
  return parse(headers.get("cookie") ?? "", tokenSessionCookie)[tokenSessionCookie] ?? null;
}

/**
 * Handles the form that takes a token: a form with `token` and `next`, the requested page. Redirects to that page, or
 * back to /sign-in if the token is invalid or may not read. `principal`: the signed-in client.
 */
export async function handleTokenSignIn(
  deps: { authenticate: ApiAuthenticator; isSecure: boolean; ownHost: string | null },
  request: Request,
): Promise<{ response: Response; principal: Principal | null }> {
  if (!isOwnForm(request, deps.ownHost)) return { response: redirect("/"), principal: null };
  const { token, next } = await readForm(request);
  const principal = await identify(deps.authenticate, request, token);
  const scope = principal && scopeOf(principal);
  if (scope === null || !includesScope(scope, "read")) {
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
  // No valid header value, so no token.
  if (!/^[\w-]{1,200}$/.test(token)) return null;
  return authenticate(new Request(request.url, { headers: { authorization: `Bearer ${token}` } })).catch(() => null);
}

function cookie(value: string, isSecure: boolean): string {
  // Lax: a link from another site opens signed in. Changes need a POST, for which browsers do not send the cookie.
  return `${tokenSessionCookie}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

export function clearCookie(): string {
  return `${cookie("", false)}; Max-Age=0`;
}

export function redirect(location: string, setCookies: readonly string[] = []): Response {
  const headers = new Headers({ location, "cache-control": "no-store" });
  for (const one of setCookies) headers.append("set-cookie", one);
  return new Response(null, { status: 303, headers });
}
