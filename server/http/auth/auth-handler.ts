import { z } from "zod";
import { auditContextOf, auditOf } from "../../auth/access/audit-context.ts";
import type { Client } from "../../auth/access/principal.ts";
import { isOwnForm } from "../../auth/authenticate/cross-site.ts";
import { clearCookie, handleTokenSignIn, redirect } from "../../auth/authenticate/token-session.ts";
import { networkOf } from "../connections.ts";
import { joinByInvitation, joinRequestSchema } from "../../auth/people/invitations.ts";
import { resetPassword, resetRequestSchema } from "../../auth/people/passwords.ts";
import { AppError } from "../../contract/app-error.ts";
import { personSessionCookie } from "../../domain/requests/session-cookie.ts";
import { problemResponse, toAppError } from "../problem-response.ts";
import { type AuthContext, type AuthDeps, createAuthLimits, limitBody, okResponse, readForm } from "./auth-context.ts";
import { finishOidc, startOidc } from "./oidc.ts";
import { recordFailedSignIn, recordSessionStart, secureCookies } from "./sessions.ts";

type Handler = (context: AuthContext, request: Request, client: Client) => Promise<Response>;

/** The routes below /api/auth, where people sign in. All of them are open to anonymous clients. */
const handlers: Record<string, Handler> = {
  "POST /api/auth/sign-in": signIn,
  "POST /api/auth/sign-out": signOut,
  "POST /api/auth/join": join,
  "POST /api/auth/reset": reset,
  "POST /api/auth/token": signInWithToken,
  "POST /api/auth/oidc": startOidc,
  "GET /api/auth/callback/oidc": finishOidc,
};

/** Each is a method and a path. */
export const authRoutes: readonly string[] = Object.keys(handlers);

const paths = new Set(authRoutes.map((route) => route.split(" ")[1]));
const handlerOf = new Map(Object.entries(handlers));

export function createAuthHandler(deps: AuthDeps): (request: Request, client: Client) => Promise<Response> {
  const context: AuthContext = { ...deps, limits: createAuthLimits() };
  return async (request, client) => {
    try {
      const { pathname } = new URL(request.url);
      if (deps.mode === "development") throw new AppError("not_found", "Not found: development has no sign-in.");
      if (!paths.has(pathname)) throw new AppError("not_found", "Not found.");
      const handler = handlerOf.get(`${request.method} ${pathname}`);
      if (!handler)
        return problemResponse(new AppError("method_not_allowed", `${request.method} is not allowed on this route.`), {
          allow: handlerOf.has(`GET ${pathname}`) ? "GET" : "POST",
        });
      return await handler(context, request, client);
    } catch (error) {
      return problemResponse(toAppError(error, deps.logger, client.requestId));
    }
  };
}

const signInSchema = z.strictObject({ email: z.string().trim().min(1).max(254), password: z.string().min(1).max(128) });

async function signIn(context: AuthContext, request: Request, client: Client): Promise<Response> {
  const form = await readForm(context, request, signInSchema);
  const network = networkOf(client.address ?? "");
  context.limits.signIns.take({ email: form.email, network, now: context.clock.now() });
  return startSession(context, { ...form, request, client });
}

async function join(context: AuthContext, request: Request, client: Client): Promise<Response> {
  const form = await readForm(context, request, joinRequestSchema);
  context.limits.links(networkOf(client.address ?? ""), context.clock.now());
  await joinByInvitation({ ...context, identity: await context.identity() }, form, client.address);
  return startSession(context, { email: form.email, password: form.password, request, client });
}

/** Does not sign in: the owner of the link must prove that they know the password as well. */
async function reset(context: AuthContext, request: Request, client: Client): Promise<Response> {
  const form = await readForm(context, request, resetRequestSchema);
  context.limits.links(networkOf(client.address ?? ""), context.clock.now());
  await resetPassword(context, form, client.address);
  return okResponse({ ok: true });
}

async function startSession(
  context: AuthContext,
  p: { email: string; password: string; request: Request; client: Client },
): Promise<Response> {
  const { email, password, request, client } = p;
  const { address } = client;
  const identity = await context.identity();
  const userAgent = request.headers.get("user-agent");
  const result = await identity.signIn({ email, password, address, userAgent });
  if (result.outcome === "rejected") {
    await recordFailedSignIn(context, client, { subject: email, by: "password" });
    throw new AppError("unauthorized", "The address or the password is wrong.");
  }
  context.limits.signIns.signedIn({ email, network: networkOf(address ?? "") });
  const cookies = secureCookies(context, client, result.setCookie);
  await recordSessionStart(context, { request, client, cookies, subjectOf: () => email });
  return okResponse({ ok: true }, cookies);
}

/** A plain form, so that it works on any page. */
async function signOut(context: AuthContext, request: Request, client: Client): Promise<Response> {
  if (!isOwnForm(request, context.ownHost)) return redirect("/");
  const principal = await context
    .authenticate(new Request(request.url, { headers: { cookie: request.headers.get("cookie") ?? "" } }))
    .catch(() => null);
  if (principal?.kind === "person") {
    const { sessionId, personId } = principal;
    const audit = auditOf(auditContextOf(principal, client.address), {
      action: "session.ended",
      subject: sessionId,
      now: context.clock.now(),
    });
    await context.store.endSession({ id: sessionId, personId, audit });
  }
  return redirect("/sign-in", [clearCookie(), `${personSessionCookie}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`]);
}

async function signInWithToken(context: AuthContext, request: Request, client: Client): Promise<Response> {
  const { authenticate, ownHost } = context;
  const isSecure = context.isSecure || client.isSecure;
  const { response, principal } = await handleTokenSignIn(
    { authenticate, isSecure, ownHost },
    await limitBody(request),
  );
  if (principal)
    await context.store.recordAudit(
      auditOf(auditContextOf(principal, client.address), {
        action: "session.started",
        subject: null,
        now: context.clock.now(),
      }),
    );
  return response;
}
