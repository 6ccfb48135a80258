import { hashPassword, verifyPassword } from "better-auth/crypto";
import type { BetterAuthOptions } from "better-auth";
import { betterAuth } from "better-auth/minimal";
import { personSessionCookie, sessionLifetimeSeconds } from "../domain/session-cookie.ts";
import type { Identity, SignInResult } from "../ports/identity.ts";
import type { AuditStore, IdentityRows } from "../ports/people-store.ts";
import { addressHeader, addressHeaders } from "./address-header.ts";
import { createIdentityAdapter } from "./identity-adapter.ts";
import { createOidcSignIn } from "./oidc-sign-in.ts";
import type { OidcSettings } from "../config.ts";

/** Attempts to sign in, from one address, within a minute. */
const mostAttempts = { window: 60, max: 10 };

/** People by better-auth. Nothing of its own leaves this folder; only what is named here can be asked of it. */
export function createIdentity(p: { rows: IdentityRows & Pick<AuditStore, "recordAudit">; baseUrl: string; secret: string; oidc: OidcSettings | null }): Identity {
  const options = {
    appName: "Signalbox",
    baseURL: p.baseUrl,
    basePath: "/api/auth",
    secret: p.secret,
    database: createIdentityAdapter(p.rows),
    // People join by invitation only.
    emailAndPassword: { enabled: true, disableSignUp: true },
    user: { additionalFields: { role: { type: "string", required: false, input: false } } },
    session: { expiresIn: sessionLifetimeSeconds, disableSessionRefresh: true, cookieCache: { enabled: false } },
    rateLimit: { enabled: true, storage: "memory", customRules: { "/sign-in/email": mostAttempts } },
    advanced: {
      cookies: { session_token: { name: personSessionCookie } },
      cookiePrefix: "signalbox",
      // Whether the browser came by TLS is known per request: the door adds `Secure`.
      useSecureCookies: false,
      ipAddress: { ipAddressHeaders: [addressHeader] },
      // The door has looked at Origin and Sec-Fetch-Site.
      disableCSRFCheck: true,
      disableOriginCheck: true,
    },
    telemetry: { enabled: false },
    logger: { disabled: true },
  } satisfies BetterAuthOptions;
  const auth = betterAuth(options);

  return {
    async signIn({ email, password, address, userAgent }) {
      const headers = new Headers({ "content-type": "application/json", ...addressHeaders(address) });
      if (userAgent !== null) headers.set("user-agent", userAgent.slice(0, 500));
      const request = new Request(`${p.baseUrl}/api/auth/sign-in/email`, { method: "POST", headers, body: JSON.stringify({ email, password }) });
      const result = toResult(await auth.handler(request));
      // What nobody can use any more goes with the next who comes.
      if (result.outcome === "signed-in") await Promise.all((["session", "verification"] as const).map((table) => p.rows.removeRows(table, [{ field: "expiresAt", operator: "lt", value: new Date(), connector: "AND" }])));
      return result;
    },
    ...createOidcSignIn({ ...p, options }),
    hashPassword,
    isPassword: (hash, password) => verifyPassword({ hash, password }),
  };
}

function toResult(response: Response): SignInResult {
  if (response.ok) return { outcome: "signed-in", setCookie: response.headers.getSetCookie() };
  if (response.status === 429) return { outcome: "throttled", retryAfterSeconds: Number(response.headers.get("x-retry-after")) || mostAttempts.window };
  if (response.status < 500) return { outcome: "refused" };
  throw new Error(`Signing in failed with ${response.status}.`);
}
