import type { IncomingMessage, ServerResponse } from "node:http";
import { anonymousRoutes } from "../auth/access/access-table.ts";
import { networkOf } from "../auth/limits/attempt-limit.ts";
import type { ApiAuthenticator, Client } from "../auth/access/principal.ts";
import { AppError } from "../contract/app-error.ts";
import { createSlots } from "../domain/requests/slots.ts";
import { type Logger, createThrottledLog } from "../ports/logger.ts";

/** Waits for a slot for this request. Throws AppError `rate_limited`. */
export type AdmitAnonymous = (request: IncomingMessage, response: ServerResponse, client: Client) => Promise<void>;

/** Few at once, because each may render a page: a webhook that arrives meanwhile waits for them. */
const limits = {
  maxActive: 8,
  maxActivePerGroup: 4,
  maxWaiting: 1_000,
  maxWaitingPerGroup: 200,
  maxPerMember: 100,
  maxWaitMs: 5_000,
};
/**
 * A request that works longer waits for its client or another server, and costs nothing meanwhile: a slow client shall
 * not keep a slot.
 */
const maxHoldMs = 1_000;
/** Load balancers and orchestrators stop a service whose probes fail. Both answer from memory or a cached check. */
const probes = new Set(["/healthz", "/readyz"]);

/**
 * Limits the concurrent requests of anonymous clients, per route and in total, so that a flood of them delays neither
 * webhooks nor signed-in people and tokens, which are admitted immediately. Not for webhooks: they have their own
 * limits.
 */
export function createAdmitAnonymous(deps: {
  authenticateFor: (client: Client) => ApiAuthenticator;
  logger: Logger;
}): AdmitAnonymous {
  const slots = createSlots(limits);
  const logRejected = createThrottledLog((message, fields) => deps.logger.warn(message, fields));
  return async (request, response, client) => {
    const [path = "/"] = (request.url ?? "/").split("?", 1);
    if (probes.has(path) || (await isKnown(deps.authenticateFor(client), request))) return;
    const route = anonymousRoutes.find(({ pattern }) => pattern.test(path))?.path ?? "guarded";
    const release = await slots.acquire(route, networkOf(client.address ?? ""));
    if (!release) {
      logRejected("anonymous request rejected: too many in progress", { route, address: client.address });
      throw new AppError(
        "rate_limited",
        "Too many requests without credentials are in progress. Try again in a few seconds.",
      );
    }
    if (response.destroyed || request.destroyed) return release();
    const timer = setTimeout(release, maxHoldMs);
    response.once("close", () => {
      clearTimeout(timer);
      release();
    });
  };
}

/** Whether the request has valid credentials of any kind. What they allow is for the route to decide. */
async function isKnown(authenticate: ApiAuthenticator, { headers }: IncomingMessage): Promise<boolean> {
  const kept = (["host", "authorization", "x-api-key", "cookie"] as const).flatMap((name): [string, string][] => {
    const value = headers[name];
    return value === undefined ? [] : [[name, [value].flat().join(",")]];
  });
  try {
    await authenticate(new Request("http://localhost/", { headers: kept }));
    return true;
  } catch {
    // Also where the store cannot say: the route meets the same failure, and answers it.
    return false;
  }
}
