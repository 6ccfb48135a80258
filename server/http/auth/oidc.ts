import { z } from "zod";
import type { Client } from "../../auth/access/principal.ts";
import { redirect } from "../../auth/authenticate/token-session.ts";
import { networkOf } from "../connections.ts";
import { AppError } from "../../contract/app-error.ts";
import { parseNextPage } from "../../contract/access/next-page.ts";
import type { Identity } from "../../ports/identity.ts";
import { type AuthContext, okResponse, readForm } from "./auth-context.ts";
import { recordFailedSignIn, recordSessionStart, secureCookies } from "./sessions.ts";

const startSchema = z.strictObject({ next: z.string().max(4_000) });

/** Returns the URL of the provider. The page opens it: its Content-Security-Policy allows forms to this service only. */
export async function startOidc(context: AuthContext, request: Request, client: Client): Promise<Response> {
  const { next } = await readForm(context, request, startSchema);
  const identity = await identityWithProvider(context, client, "start");
  const redirection = await identity.startProviderSignIn({ next: parseNextPage(next), address: client.address });
  if (!redirection) throw new AppError("not_found", "The provider cannot be reached. Try again in a moment.");
  return okResponse({ url: redirection.location }, secureCookies(context, client, redirection.setCookie));
}

export async function finishOidc(context: AuthContext, request: Request, client: Client): Promise<Response> {
  const identity = await identityWithProvider(context, client, "callback");
  const { location, setCookie, isSignedIn } = await identity.finishProviderSignIn(request, client.address);
  const cookies = secureCookies(context, client, setCookie);
  if (isSignedIn)
    await recordSessionStart(context, {
      request,
      client,
      cookies,
      subjectOf: (principal) => (principal.kind === "person" ? principal.email : null),
      detail: { by: "oidc" },
    });
  else await recordFailedSignIn(context, client, { subject: null, by: "oidc" });
  return redirect(location, cookies);
}

/** Throws AppError `not_found` without a configured provider, and `rate_limited`, before anything is read or written. */
async function identityWithProvider(
  { hasProvider, limits, clock, identity }: AuthContext,
  client: Client,
  step: "start" | "callback",
): Promise<Identity> {
  if (!hasProvider)
    throw new AppError(
      "not_found",
      "OpenID Connect is not configured. Set SIGNALBOX_OIDC_ISSUER and its other settings (docs/people.md).",
    );
  const now = clock.now();
  limits.provider(networkOf(client.address ?? ""), now);
  limits.providerInTotal(step, now);
  return identity();
}
