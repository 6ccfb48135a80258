import type { IncomingMessage, ServerResponse } from "node:http";
import { anonymousRoutes } from "./anonymous-routes.ts";
import { credentialsHeader, type CredentialsVerdict } from "./forward/known-credentials.ts";
import { networkOf } from "./connections.ts";
import type { ApiAuthenticator, Client } from "../auth/access/principal.ts";
import { AppError } from "../contract/app-error.ts";
import { createSlots } from "../domain/requests/slots.ts";
import type { Logger } from "../ports/logger.ts";

/** Waits until this request has a slot. Throws AppError `rate_limited`. */
export type AnonymousLimit = (request: IncomingMessage, response: ServerResponse, client: Client) => Promise<void>;

/** Each request may render a page, which delays webhooks: so only a few run concurrently. */
const limits = {
  maxActive: 8,
  maxActivePerGroup: 4,
  maxWaiting: 1_000,
  maxWaitingPerGroup: 200,
  maxPerMember: 100,
  maxWaitMs: 5_000,
};
/** A request that takes longer waits for its client or another server: a slow client must not keep a slot. */
const maxHoldMs = 1_000;
/** Load balancers and orchestrators stop a service whose probes fail. Both answer from memory or a cached check. */
const probes = new Set(["/healthz", "/readyz"]);

/**
 * Limits the concurrent requests of anonymous clients, per route and in total, so that a flood of them delays neither
 * webhooks nor signed-in people and tokens, which are admitted immediately. Not for webhooks: they have their own
 * limits.
 */
export function createAnonymousLimit(deps: {
  authenticateFor: (client: Client) => ApiAuthenticator;
  logger: Logger;
}): AnonymousLimit {
  const slots = createSlots(limits);
  return async (request, response, client) => {
    const [path = "/"] = (request.url ?? "/").split("?", 1);
    if (probes.has(path)) return;
    const { isValid, verdict } = await check(deps.authenticateFor(client), request);
    if (verdict !== null) response.setHeader(credentialsHeader, verdict);
    if (isValid) return;
    const route = anonymousRoutes.find(({ pattern }) => pattern.test(path))?.path ?? "guarded";
    const release = await slots.acquire(route, networkOf(client.address ?? ""));
    if (!release) {
      deps.logger.warn("anonymous request rejected: too many in progress", { route, address: client.address });
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

/**
 * Whether the request has valid credentials of any kind. The route decides what they allow. `verdict`: for the
 * receiver; `null`: those of a sender, which many programs can have, or they could not be checked.
 */
async function check(
  authenticate: ApiAuthenticator,
  { headers }: IncomingMessage,
): Promise<{ isValid: boolean; verdict: CredentialsVerdict | null }> {
  const kept = (["host", "authorization", "x-api-key", "cookie"] as const).flatMap((name): [string, string][] => {
    const value = headers[name];
    return value === undefined ? [] : [[name, [value].flat().join(",")]];
  });
  try {
    const { kind } = await authenticate(new Request("http://localhost/", { headers: kept }));
    return { isValid: true, verdict: kind === "webhook" ? null : "valid" };
  } catch (error) {
    const isChecked = error instanceof AppError && (error.code === "unauthorized" || error.code === "forbidden");
    // Admitted also if the store cannot be read: the route then fails in the same way, and answers.
    return { isValid: false, verdict: isChecked ? "invalid" : null };
  }
}
