import type { BetterAuthOptions } from "better-auth";
import { betterAuth } from "better-auth/minimal";
import { genericOAuth } from "better-auth/plugins/generic-oauth";
import type { OidcSettings } from "../config.ts";
import { newId } from "../domain/ids.ts";
import type { Identity, Redirection } from "../ports/identity.ts";
import { addressHeaders } from "./address-header.ts";
import type { AuditStore, PeopleStore } from "../ports/store/people-store.ts";

const providerId = "oidc";

/** Signing in by OpenID Connect: authorization code with PKCE and nonce, and an ID token whose signature was checked. */
export function createOidcSignIn(p: {
  options: BetterAuthOptions;
  baseUrl: string;
  oidc: OidcSettings | null;
  rows: Pick<AuditStore, "recordAudit"> & Pick<PeopleStore, "isRemovedPerson">;
}): Pick<Identity, "startProviderSignIn" | "finishProviderSignIn"> {
  const { oidc, baseUrl } = p;
  // Created for each sign-in: it reads the provider's configuration, and the provider may be unavailable or change its
  // keys.
  const ask = async (path: string, init: RequestInit) =>
    oidc ? betterAuth(withProvider(p, oidc)).handler(new Request(`${baseUrl}/api/auth/${path}`, init)) : null;
  return {
    async startProviderSignIn({ next, address }) {
      const body = JSON.stringify({ provider: providerId, callbackURL: next, errorCallbackURL: failedPage });
      const response = await ask("sign-in/social", {
        method: "POST",
        headers: { "content-type": "application/json", ...addressHeaders(address) },
        body,
      });
      return response?.ok ? toRedirection(response) : null;
    },
    async finishProviderSignIn(request, address) {
      const headers = new Headers({
        cookie: request.headers.get("cookie") ?? "",
        "user-agent": request.headers.get("user-agent") ?? "",
        ...addressHeaders(address),
      });
      const response = await ask(`callback/${providerId}${new URL(request.url).search}`, { headers });
      const answer = response && toRedirection(response);
      const isSignedIn = answer?.setCookie.some((cookie) => /^signalbox_person=[^;]/.test(cookie)) ?? false;
      return isSignedIn && answer
        ? { ...answer, isSignedIn }
        : { location: failedPage, setCookie: [], isSignedIn: false };
    },
  };
}

const failedPage = "/sign-in?failed=oidc";

function withProvider(
  { options, rows }: Parameters<typeof createOidcSignIn>[0],
  oidc: OidcSettings,
): BetterAuthOptions {
  return {
    ...options,
    user: {
      ...options.user,
      async validateUserInfo({ user, source }) {
        if (!isAllowed(oidc, user)) return { error: "not_allowed" };
        if (source.action !== "create-user") return;
        const { sub } = source.oauth?.profile ?? {};
        const account = { providerId, accountId: typeof sub === "string" ? sub : null };
        if (await rows.isRemovedPerson({ email: user.email, ...account })) return { error: "removed" };
      },
    },
    // A person who joined by invitation keeps their password: their ownership of the address was never verified.
    account: { accountLinking: { enabled: false }, encryptOAuthTokens: true },
    databaseHooks: {
      user: {
        create: {
          before: async (user) => ({
            data: { ...user, id: newId("per"), name: user.name || user.email, role: oidc.role },
          }),
          after: async ({ id, name, email }) =>
            rows.recordAudit({
              id: newId("aud"),
              at: Date.now(),
              action: "person.joined",
              actor: { kind: "person", id, name },
              subject: id,
              address: null,
              detail: { email, role: oidc.role, by: oidc.issuer },
            }),
        },
      },
    },
    plugins: [
      genericOAuth({
        config: [
          {
            providerId,
            discoveryUrl: `${oidc.issuer.replace(/\/+$/, "")}/.well-known/openid-configuration`,
            clientId: oidc.clientId,
            clientSecret: oidc.clientSecret,
            scopes: ["openid", "email", "profile"],
            pkce: true,
            requireIdTokenVerification: true,
          },
        ],
      }),
    ],
  };
}

function isAllowed<User extends { email?: unknown; emailVerified?: unknown }>(
  { domains }: OidcSettings,
  user: User,
): user is User & { email: string } {
  if (typeof user.email !== "string" || user.emailVerified !== true) return false;
  return domains.includes(user.email.slice(user.email.lastIndexOf("@") + 1).toLowerCase());
}

function toRedirection(response: Response): Redirection {
  return { location: response.headers.get("location") ?? "/", setCookie: response.headers.getSetCookie() };
}
