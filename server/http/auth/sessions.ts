import { anonymousContext, auditContextOf, auditOf } from "../../auth/access/audit-context.ts";
import type { Client, Principal } from "../../auth/access/principal.ts";
import type { Json } from "../../contract/json.ts";
import type { AuthContext, AuthDeps } from "./auth-context.ts";

/** Adds `Secure` if the browser used TLS, which only the HTTP layer knows. */
export function secureCookies(deps: AuthDeps, client: Client, cookies: readonly string[]): string[] {
  return cookies.map((cookie) => (deps.isSecure || client.isSecure ? `${cookie}; Secure` : cookie));
}

/** Writes the audit entry of the session that is started by `cookies`. */
export async function recordSessionStart(
  { authenticate, store, clock }: AuthDeps,
  p: {
    request: Request;
    client: Client;
    cookies: readonly string[];
    subjectOf: (principal: Principal) => string | null;
    detail?: Json;
  },
): Promise<void> {
  const cookie = p.cookies.map((one) => one.split(";")[0]).join("; ");
  const principal = await authenticate(new Request(p.request.url, { headers: { cookie } }));
  await store.recordAudit(
    auditOf(auditContextOf(principal, p.client.address), {
      action: "session.started",
      subject: p.subjectOf(principal),
      detail: p.detail ?? null,
      now: clock.now(),
    }),
  );
}

/**
 * Writes an audit entry. Anonymous clients can cause any number of failures, so only a bounded number is recorded; each
 * entry counts those before it that were not.
 */
export async function recordFailedSignIn(
  { limits, store, clock }: AuthContext,
  client: Client,
  { subject, by }: { subject: string | null; by: "password" | "oidc" },
): Promise<void> {
  const now = clock.now();
  const taken = limits.failedSignIns.take(now);
  if (!taken.passes) return;
  const detail = { ...(by === "oidc" ? { by } : {}), ...(taken.rejected > 0 ? { notRecorded: taken.rejected } : {}) };
  await store.recordAudit(
    auditOf(anonymousContext(client.address), {
      action: "session.rejected",
      subject,
      detail: Object.keys(detail).length > 0 ? detail : null,
      now,
    }),
  );
}
