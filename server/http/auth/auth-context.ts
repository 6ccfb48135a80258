import type { z } from "zod";
import type { ApiAuthenticator } from "../../auth/access/principal.ts";
import { rejectForeignOrigin } from "../../auth/authenticate/cross-site.ts";
import { attemptsPerMinute, createAttemptLimit, createSignInLimits } from "../../auth/limits/attempt-limit.ts";
import type { Mode } from "../../config.ts";
import { AppError } from "../../contract/app-error.ts";
import { parseJsonBody, readWithin, requireJsonType } from "../../domain/requests/request-body.ts";
import { issuesToErrors } from "../../domain/problem.ts";
import { createTokenBucket } from "../../domain/requests/token-bucket.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Identity } from "../../ports/identity.ts";
import type { Logger } from "../../ports/logger.ts";
import type { AuditStore, PeopleStore } from "../../ports/store/people-store.ts";

export interface AuthDeps {
  store: PeopleStore & AuditStore;
  /** Whether people can sign in with OpenID Connect. */
  hasProvider: boolean;
  /** Loaded on first use, because it is large. */
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

export type AuthContext = AuthDeps & { limits: ReturnType<typeof createAuthLimits> };

/** Limits for anonymous requests that search the store, hash a password, call a provider or write a row. */
export function createAuthLimits() {
  return {
    links: createAttemptLimit({ perMinute: attemptsPerMinute }),
    signIns: createSignInLimits(),
    /** Each request reads the configuration of the provider. */
    provider: createAttemptLimit({ perMinute: 30 }),
    /** For all networks together: each start writes a row, which is kept until it expires. */
    providerInTotal: createAttemptLimit({ perMinute: 600 }),
    /** Failed sign-ins in the audit log. The next entry has the number of those that were not recorded. */
    failedSignIns: createTokenBucket({ perSecond: 0.2, burst: 50 }),
  };
}

const maxFormBytes = 16 * 1024;

/** Throws AppError `invalid_input` and others. */
export async function readForm<T extends z.ZodType>(
  { ownHost }: AuthDeps,
  request: Request,
  schema: T,
): Promise<z.infer<T>> {
  rejectForeignOrigin(request, ownHost);
  requireJsonType(request.headers);
  const parsed = schema.safeParse(parseJsonBody(await readFormBytes(request)).json);
  if (parsed.success) return parsed.data;
  const errors = issuesToErrors(parsed.error.issues);
  throw new AppError("invalid_input", errors[0]?.message ?? "The form is invalid.", { errors });
}

/** The request with its body in memory. Throws AppError `body_too_large`. */
export async function limitBody(request: Request): Promise<Request> {
  return new Request(request.url, { method: "POST", headers: request.headers, body: await readFormBytes(request) });
}

/** Needs no memory budget: the forms of all connections together are small. */
function readFormBytes(request: Request): Promise<Buffer<ArrayBuffer>> {
  return readWithin(request, maxFormBytes, { take() {}, free() {} });
}

export function okResponse(body: object, cookies: readonly string[] = []): Response {
  const headers = new Headers({ "content-type": "application/json", "cache-control": "no-store" });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(JSON.stringify(body), { headers });
}
