import type { BetterAuthOptions } from "better-auth";
import { createAdapterFactory } from "better-auth/adapters";
import { hashPassword, verifyPassword } from "better-auth/crypto";
import { betterAuth } from "better-auth/minimal";
import { availableParallelism } from "node:os";
import type { OidcSettings } from "../config.ts";
import { AppError } from "../contract/app-error.ts";
import { newId } from "../domain/ids.ts";
import { personSessionCookie, sessionLifetimeSeconds } from "../domain/requests/session-cookie.ts";
import { createSlots, type Slots } from "../domain/requests/slots.ts";
import type { Identity, SignInResult } from "../ports/identity.ts";
import type {
  AuditStore,
  IdentityCondition,
  IdentityRows,
  IdentityTable,
  PeopleStore,
} from "../ports/store/people-store.ts";
import { addressHeader, addressHeaders } from "./address-header.ts";
import { createOidcSignIn } from "./oidc-sign-in.ts";

const tables: Record<string, IdentityTable> = {
  user: "user",
  session: "session",
  account: "account",
  verification: "verification",
};

interface Asked {
  field: string;
  operator: string;
  value: unknown;
  connector: "AND" | "OR";
}

/**
 * A scrypt hash takes some 50 ms of a core and 32 MiB. It runs in Node's thread pool, but the event loop needs a core
 * as well. At most half of the cores hash at the same time, and each account has one hash at a time.
 */
const hashLimits = {
  maxActive: Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2))),
  maxActivePerGroup: 1,
  maxWaiting: 20,
  maxWaitingPerGroup: 4,
  maxWaitMs: 5_000,
};

/**
 * People and passwords by better-auth, which does not leak out of this folder: the operations here are the whole
 * interface.
 */
export function createIdentity(p: {
  rows: IdentityRows & Pick<AuditStore, "recordAudit"> & Pick<PeopleStore, "isRemovedPerson">;
  baseUrl: string;
  secret: string;
  oidc: OidcSettings | null;
}): Identity {
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
    // Attempts are counted before anything gets here.
    rateLimit: { enabled: false },
    advanced: {
      cookies: { session_token: { name: personSessionCookie } },
      cookiePrefix: "signalbox",
      // The HTTP layer adds `Secure`: whether the browser uses TLS is known per request.
      useSecureCookies: false,
      ipAddress: { ipAddressHeaders: [addressHeader] },
      // The HTTP layer has checked Origin and Sec-Fetch-Site.
      disableCSRFCheck: true,
      disableOriginCheck: true,
    },
    telemetry: { enabled: false },
    logger: { disabled: true },
  } satisfies BetterAuthOptions;
  const auth = betterAuth(options);
  /**
   * Sign-ins of anonymous clients do not delay those who change a password or use a link. After each one, the slot
   * rests for as long as it took: a flood of them leaves half of the processors' time to webhooks.
   */
  const signIns = { slots: createSlots(hashLimits), rests: true };
  const changes = { slots: createSlots(hashLimits), rests: false };

  return {
    async signIn({ email, password, address, userAgent }) {
      const headers = new Headers({ "content-type": "application/json", ...addressHeaders(address) });
      if (userAgent !== null) headers.set("user-agent", userAgent.slice(0, 500));
      const request = new Request(`${p.baseUrl}/api/auth/sign-in/email`, {
        method: "POST",
        headers,
        body: JSON.stringify({ email, password }),
      });
      const result = toResult(await whenFree(signIns, email.toLowerCase(), () => auth.handler(request)));
      // Expired rows are removed with the next sign-in.
      if (result.outcome === "signed-in")
        await Promise.all(
          (["session", "verification"] as const).map((table) =>
            p.rows.removeRows(table, [{ field: "expiresAt", operator: "lt", value: new Date(), connector: "AND" }]),
          ),
        );
      return result;
    },
    ...createOidcSignIn({ ...p, options }),
    hashPassword: (password) => whenFree(changes, newId("per"), () => hashPassword(password)),
    isPassword: (hash, password) => whenFree(changes, hash, () => verifyPassword({ hash, password })),
  };
}

function toResult(response: Response): SignInResult {
  if (response.ok) return { outcome: "signed-in", setCookie: response.headers.getSetCookie() };
  if (response.status < 500) return { outcome: "rejected" };
  throw new Error(`Sign-in failed with status ${response.status}.`);
}

/** On a machine that is busy anyway, a hash takes longer. */
const maxRestMs = 100;

/** Throws AppError `rate_limited`. */
async function whenFree<T>(
  { slots, rests }: { slots: Slots; rests: boolean },
  account: string,
  hash: () => Promise<T>,
): Promise<T> {
  const release = await slots.acquire(account);
  if (!release) throw new AppError("rate_limited", "Too many sign-ins are in progress. Try again in a few seconds.");
  const began = performance.now();
  try {
    return await hash();
  } finally {
    if (rests) setTimeout(release, Math.min(performance.now() - began, maxRestMs)).unref();
    else release();
  }
}

/**
 * Better-auth over our own store: its writes join the store's transactions, and wait for other processes as all others
 * do.
 */
function createIdentityAdapter(rows: IdentityRows) {
  return createAdapterFactory({
    config: {
      adapterId: "signalbox",
      supportsJSON: false,
      supportsDates: true,
      supportsBooleans: true,
      supportsNumericIds: false,
      transaction: false,
    },
    adapter: () => ({
      create: async ({ model, data }) => as(await rows.insertRow(tableOf(model), data)),
      findOne: async ({ model, where }) => as((await find({ model, where, limit: 1 }))[0] ?? null),
      findMany: async (p) => as(await find(p)),
      count: ({ model, where }) => rows.countRows(tableOf(model), conditions(where)),
      update: async ({ model, where, update }) =>
        as((await rows.updateRows(tableOf(model), conditions(where), values(update)))[0] ?? null),
      updateMany: async ({ model, where, update }) =>
        (await rows.updateRows(tableOf(model), conditions(where), update)).length,
      delete: async ({ model, where }) => void (await rows.removeRows(tableOf(model), conditions(where))),
      deleteMany: async ({ model, where }) => (await rows.removeRows(tableOf(model), conditions(where))).length,
      consumeOne: async ({ model, where }) => as((await rows.removeRows(tableOf(model), conditions(where)))[0] ?? null),
    }),
  });

  function find(p: {
    model: string;
    where?: readonly Asked[] | undefined;
    limit: number;
    offset?: number | undefined;
    sortBy?: { field: string; direction: "asc" | "desc" } | undefined;
  }) {
    return rows.findRows({
      table: tableOf(p.model),
      where: conditions(p.where),
      limit: p.limit,
      offset: p.offset ?? 0,
      sortBy: p.sortBy ?? null,
    });
  }
}

/** Better-auth lets its callers specify the type of a row; the store returns the columns of the table. */
function as<T>(found: unknown): T {
  return found as T;
}

function values(update: unknown): Record<string, unknown> {
  return { ...Object(update) };
}

function tableOf(model: string): IdentityTable {
  const table = tables[model];
  if (!table) throw new Error(`better-auth uses an unknown table: ${model}.`);
  return table;
}

function conditions(where: readonly Asked[] = []): IdentityCondition[] {
  return where.map(({ field, operator, value, connector }) => ({ field, operator, value, connector }));
}
