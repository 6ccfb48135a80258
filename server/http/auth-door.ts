import { z } from "zod";
import { authRoutes } from "../auth/access/access-table.ts";
import { attemptsPerMinute, createAttemptLimit, createSignInLimits, networkOf } from "../auth/limits/attempt-limit.ts";
import { auditOf, auditContextOf, anonymousContext } from "../auth/access/audit-context.ts";
import { joinByInvitation, joinRequestSchema } from "../auth/people/invitations.ts";
import { isOwnForm, rejectForeignOrigin } from "../auth/authenticate/cross-site.ts";
import { resetPassword, resetRequestSchema } from "../auth/people/passwords.ts";
import { handleTokenSignIn, clearCookie, redirect } from "../auth/authenticate/token-session.ts";
import { personSessionCookie } from "../domain/requests/session-cookie.ts";
import type { ApiAuthenticator, Client } from "../auth/access/principal.ts";
import type { Mode } from "../config.ts";
import { AppError } from "../contract/app-error.ts";
import { parseNextPage } from "../contract/access/next-page.ts";
import { createTokenBucket } from "../domain/requests/token-bucket.ts";
import { parseJsonBody } from "../domain/json/json-body.ts";
import { readWithin, requireJsonType } from "../domain/requests/request-body.ts";
import type { Clock } from "../ports/clock.ts";
import type { Identity } from "../ports/identity.ts";
import type { Logger } from "../ports/logger.ts";
import type { AuditStore, PeopleStore } from "../ports/store/people-store.ts";
import { problemResponse, toAppError } from "./rest/problem-response.ts";

export interface AuthDoorDeps {
  store: PeopleStore & AuditStore;
  /** Whether people can sign in with OpenID Connect. */
  hasProvider: boolean;
  /** Loaded by the first who asks: it is heavy. */
  identity: () => Promise<Identity>;
  authenticate: ApiAuthenticator;
  clock: Clock;
  logger: Logger;
  mode: Mode;
  /** Whether clients reach this service by TLS, even if the last hop has none. */
  isSecure: boolean;
  /** Host of the base URL. */
  ownHost: string | null;
}

type DoorDeps = AuthDoorDeps & { limits: ReturnType<typeof createLimits> };

/** Anonymous requests that look something up, hash a password, ask a provider or write a row. */
function createLimits() {
  return {
    links: createAttemptLimit({ perMinute: attemptsPerMinute }),
    signIns: createSignInLimits(),
    /** Each asks the provider for its configuration. */
    provider: createAttemptLimit({ perMinute: 30 }),
    /** Of all networks: each start writes a row, which is kept until it has expired. */
    providerInAll: createAttemptLimit({ perMinute: 600 }),
    /** Rejected sign-ins that are written to the audit log. The next entry has the number of those that were not. */
    rejections: createTokenBucket({ perSecond: 0.2, burst: 50 }),
  };
}

type Answer = (deps: DoorDeps, request: Request, client: Client) => Promise<Response>;

const formBytes = 16 * 1024;
const signInSchema = z.strictObject({ email: z.string().trim().min(1).max(254), password: z.string().min(1).max(128) });

/** Everything below /api/auth: the only routes that grant access to anonymous clients. */
const routes: Record<(typeof authRoutes)[number], Answer> = {
  "POST /api/auth/sign-in": signIn,
  "POST /api/auth/sign-out": signOut,
  "POST /api/auth/join": join,
  "POST /api/auth/reset": reset,
  "POST /api/auth/token": signInWithToken,
  "POST /api/auth/oidc": startProviderSignIn,
  "GET /api/auth/callback/oidc": finishProviderSignIn,
};
const paths = new Set(authRoutes.map((route) => route.split(" ")[1]));

export function createAuthDoor(given: AuthDoorDeps): (request: Request, client: Client) => Promise<Response> {
  const deps: DoorDeps = { ...given, limits: createLimits() };
  return async (request, client) => {
    try {
      const { pathname } = new URL(request.url);
      if (deps.mode === "development" || !paths.has(pathname))
        throw new AppError("not_found", "Not found: development has no sign-in.");
      const answer = new Map(Object.entries(routes)).get(`${request.method} ${pathname}`);
      if (!answer)
        return problemResponse(new AppError("method_not_allowed", `${request.method} is not allowed on this route.`), {
          allow: pathname.includes("callback") ? "GET" : "POST",
        });
      return await answer(deps, request, client);
    } catch (error) {
      return problemResponse(toAppError(error, deps.logger, client.requestId));
    }
  };
}

async function signIn(deps: DoorDeps, request: Request, client: Client): Promise<Response> {
  const { email, password } = await readForm(deps, request, signInSchema);
  deps.limits.signIns.take({ email, address: client.address, now: deps.clock.now() });
  return startSession(deps, { email, password, request, client });
}

async function join(deps: DoorDeps, request: Request, client: Client): Promise<Response> {
  const form = await readForm(deps, request, joinRequestSchema);
  deps.limits.links(networkOf(client.address ?? ""), deps.clock.now());
  await joinByInvitation({ ...deps, identity: await deps.identity() }, form, client.address);
  return startSession(deps, { email: form.email, password: form.password, request, client });
}

/** Does not sign in: the owner of the link must prove that they know the password as well. */
async function reset(deps: DoorDeps, request: Request, client: Client): Promise<Response> {
  const form = await readForm(deps, request, resetRequestSchema);
  deps.limits.links(networkOf(client.address ?? ""), deps.clock.now());
  await resetPassword(deps, form, client.address);
  return answerWith({ ok: true }, []);
}

async function startSession(
  deps: DoorDeps,
  p: { email: string; password: string; request: Request; client: Client },
): Promise<Response> {
  const { email, client } = p;
  const identity = await deps.identity();
  const result = await identity.signIn({
    email,
    password: p.password,
    address: client.address,
    userAgent: p.request.headers.get("user-agent"),
  });
  const now = deps.clock.now();
  if (result.outcome === "rejected") {
    await recordRejection(deps, client, { subject: email, by: "password" });
    throw new AppError("unauthorized", "The address or the password is wrong.");
  }
  deps.limits.signIns.signedIn({ email, address: client.address });
  const cookies = secured(deps, client, result.setCookie);
  const who = await deps.authenticate(
    new Request(p.request.url, { headers: { cookie: cookies.map((cookie) => cookie.split(";")[0]).join("; ") } }),
  );
  await deps.store.recordAudit(
    auditOf(auditContextOf(who, client.address), { action: "session.started", subject: email, now }),
  );
  return answerWith({ ok: true }, cookies);
}

function answerWith(body: object, cookies: readonly string[]): Response {
  const headers = new Headers({ "content-type": "application/json", "cache-control": "no-store" });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(JSON.stringify(body), { headers });
}

/** A plain form, so that it works on any page. */
async function signOut(deps: AuthDoorDeps, request: Request, client: Client): Promise<Response> {
  if (!isOwnForm(request, deps.ownHost)) return redirect("/");
  const who = await deps
    .authenticate(new Request(request.url, { headers: { cookie: request.headers.get("cookie") ?? "" } }))
    .catch(() => null);
  if (who?.kind === "person") {
    const audit = auditOf(auditContextOf(who, client.address), {
      action: "session.ended",
      subject: who.sessionId,
      now: deps.clock.now(),
    });
    await deps.store.endSession({ id: who.sessionId, personId: who.personId, audit });
  }
  return redirect("/sign-in", [clearCookie(), `${personSessionCookie}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`]);
}

async function signInWithToken(deps: AuthDoorDeps, request: Request, client: Client): Promise<Response> {
  const { response, principal } = await handleTokenSignIn(
    { authenticate: deps.authenticate, isSecure: deps.isSecure || client.isSecure, ownHost: deps.ownHost },
    await bounded(request),
  );
  if (principal)
    await deps.store.recordAudit(
      auditOf(auditContextOf(principal, client.address), {
        action: "session.started",
        subject: null,
        now: deps.clock.now(),
      }),
    );
  return response;
}

async function startProviderSignIn(deps: DoorDeps, request: Request, client: Client): Promise<Response> {
  const { next } = await readForm(deps, request, z.strictObject({ next: z.string().max(4_000) }));
  const identity = await providerIdentity(deps, client, "start");
  const way = await identity.startProviderSignIn({ next: parseNextPage(next), address: client.address });
  if (!way) throw new AppError("not_found", "The provider cannot be reached. Try again in a moment.");
  // The page goes there itself: its policy lets forms lead to this service only.
  return answerWith({ url: way.location }, secured(deps, client, way.setCookie));
}

async function finishProviderSignIn(deps: DoorDeps, request: Request, client: Client): Promise<Response> {
  const identity = await providerIdentity(deps, client, "callback");
  const way = await identity.finishProviderSignIn(request, client.address);
  const cookies = secured(deps, client, way.setCookie);
  if (!way.isSignedIn) {
    await recordRejection(deps, client, { subject: null, by: "oidc" });
    return redirect(way.location, cookies);
  }
  const who = await deps.authenticate(
    new Request(request.url, { headers: { cookie: cookies.map((cookie) => cookie.split(";")[0]).join("; ") } }),
  );
  await deps.store.recordAudit(
    auditOf(auditContextOf(who, client.address), {
      action: "session.started",
      subject: who.kind === "person" ? who.email : null,
      detail: { by: "oidc" },
      now: deps.clock.now(),
    }),
  );
  return redirect(way.location, cookies);
}

/** Throws AppError `not_found` where no provider is configured, and `rate_limited`, before anything is asked or written. */
async function providerIdentity(deps: DoorDeps, client: Client, step: "start" | "callback"): Promise<Identity> {
  if (!deps.hasProvider)
    throw new AppError(
      "not_found",
      "OpenID Connect is not configured. Set SIGNALBOX_OIDC_ISSUER and its other settings (docs/people.md).",
    );
  const now = deps.clock.now();
  deps.limits.provider(networkOf(client.address ?? ""), now);
  deps.limits.providerInAll(step, now);
  return deps.identity();
}

/**
 * Anonymous clients can cause any number of these: a bounded number is written, and each says how many before it were
 * not.
 */
async function recordRejection(
  deps: DoorDeps,
  client: Client,
  { subject, by }: { subject: string | null; by: "password" | "oidc" },
): Promise<void> {
  const now = deps.clock.now();
  const taken = deps.limits.rejections.take(now);
  if (!taken.passes) return;
  const detail = { ...(by === "oidc" ? { by } : {}), ...(taken.rejected > 0 ? { notRecorded: taken.rejected } : {}) };
  await deps.store.recordAudit(
    auditOf(anonymousContext(client.address), {
      action: "session.refused",
      subject,
      detail: Object.keys(detail).length > 0 ? detail : null,
      now,
    }),
  );
}

/** Whether the browser came by TLS is known here alone. */
function secured(deps: AuthDoorDeps, client: Client, cookies: readonly string[]): string[] {
  return cookies.map((cookie) => (deps.isSecure || client.isSecure ? `${cookie}; Secure` : cookie));
}

async function readForm<T extends z.ZodType>(deps: AuthDoorDeps, request: Request, schema: T): Promise<z.infer<T>> {
  rejectForeignOrigin(request, deps.ownHost);
  requireJsonType(request.headers);
  const parsed = schema.safeParse(parseJsonBody(await readFormBytes(request)));
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, code, message }) => ({
    pointer: `/${path.join("/")}`,
    code,
    message,
  }));
  throw new AppError("invalid_input", errors[0]?.message ?? "The form is invalid.", { errors });
}

/** Forms are small: as many as there may be connections fit into the memory. */
function readFormBytes(request: Request): Promise<Buffer<ArrayBuffer>> {
  return readWithin(request, formBytes, { take() {}, free() {} });
}

async function bounded(request: Request): Promise<Request> {
  return new Request(request.url, { method: "POST", headers: request.headers, body: await readFormBytes(request) });
}
