import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { generateKey, hashKey } from "../../auth/keys/check-key.ts";
import { operations } from "../../auth/access/operations.ts";
import { unknownClient } from "../../auth/access/principal.ts";
import { everyPrincipal, shallReach } from "../../auth/testing/principals.ts";
import { authorize, toRestRoute } from "./authorize.ts";
import { createRestApp, restRoutes } from "./rest-app.ts";
import type { RestEnv } from "./rest-deps.ts";
import { bearer, makeKey, openTestService } from "./testing/test-service.ts";

const routes = restRoutes.map(({ method, path, operation: { access, webhookKeys } }) => ({
  route: `${method} ${path}`,
  method,
  // A feed that opens does not end.
  path: path.replaceAll(/\{\w+\}/g, "unknown").replace(/\/feed$/, "/feed?cursor=unknown"),
  access,
  hasOwnRuns: webhookKeys === "own-runs",
}));
const closed = routes.filter(({ access }) => access !== "open");
/** The routes that a token could call. */
const overTheNetwork = closed.filter(({ access }) => access !== "machine");

/** The statuses of a failed access check. Any other status means that the route was reached. */
const accessFailures = [401, 403];

describe("access to the routes of a deployed service", () => {
  it("a route whose operation is not in the table does not exist", async () => {
    expect(toRestRoute({ method: "get", path: "/api/v1/unlisted", operationId: "unlisted", responses: {} })).toBeNull();
    const { deps } = await openTestService();
    const app = new Hono<RestEnv>().use(authorize([])).get("/api/v1/unlisted", (c) => c.text("reached"));
    app.onError((error, c) => c.json(error, 404));
    const answer = await app.request("/api/v1/unlisted", {}, { ...deps, client: unknownClient });
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: "not_found" }]);
  });

  it("webhook keys may call only operations that are limited to their own runs", () => {
    expect(Object.entries(operations).flatMap(([id, one]) => ("webhookKeys" in one ? [id] : []))).toEqual([
      "getRun",
      "listRuns",
      "listTimeline",
      "streamRunEvents",
    ]);
  });

  it.each(routes)(
    "$route admits the callers that its operation allows ($access), by key, token or role",
    async ({ method, path, access, hasOwnRuns }) => {
      const service = await openTestService({ mode: "deployed" });
      expect((await service.send(method, path)).status === 401, "an anonymous client").toBe(access !== "open");
      for (const { name, principal, scope } of everyPrincipal) {
        const app = createRestApp({ ...service.deps, authenticate: async () => principal });
        const { status } = await app.fetch(new Request(`http://localhost:3002${path}`, { method }));
        const isReached =
          access === "open" ||
          (hasOwnRuns && principal.kind === "webhook") ||
          (access !== "machine" && shallReach(scope, access));
        expect(status === 403, name).toBe(!isReached);
        expect(status, name).not.toBe(401);
      }
    },
  );

  it.each(["read", "operate", "admin"] as const)(
    "a token with the scope %s has that scope, and one without a scope is invalid",
    async (scope) => {
      const service = await openTestService({ mode: "deployed" });
      const token = await makeKey(service, { kind: "api", scope });
      const reached = async (method: string, path: string, secret: string) =>
        !accessFailures.includes((await service.send(method, path, { headers: bearer(secret) })).status);
      expect(await reached("GET", "/api/v1/deliveries", token.secret)).toBe(true);
      expect(await reached("POST", "/api/v1/runs/unknown/cancel", token.secret)).toBe(scope !== "read");
      expect(await reached("GET", "/api/v1/keys", token.secret)).toBe(scope === "admin");
      const unscoped = generateKey("api");
      await service.store.createKey({
        id: "key_unscoped",
        kind: "api",
        name: "unscoped",
        hint: "sbt_",
        hash: hashKey(unscoped),
        ciphertext: null,
        endpoints: null,
        scope: null,
        ownerId: null,
        createdAt: 0,
        expiresAt: null,
      });
      expect(await reached("GET", "/api/v1/deliveries", unscoped)).toBe(false);
    },
  );

  it.each(overTheNetwork)("$route accepts the key in x-api-key, too", async ({ method, path }) => {
    const service = await openTestService({ mode: "deployed" });
    const token = await makeKey(service, { kind: "api" });
    expect(accessFailures).not.toContain(
      (await service.send(method, path, { headers: { "x-api-key": token.secret } })).status,
    );
  });

  it("rejects every invalid key with the same response, on every path", async () => {
    const service = await openTestService({ mode: "deployed" });
    const { state } = service;
    const revoked = await makeKey(service, { kind: "api" });
    await service.store.revokeKey(revoked.id, state.now);
    const expired = await makeKey(service, { kind: "api", expiresAt: state.now + 1000 });
    const good = await makeKey(service, { kind: "api" });
    state.now += 1000;
    const attempts: Record<string, string>[] = [
      {},
      bearer(""),
      bearer("no key at all"),
      bearer(generateKey("api")),
      bearer(generateKey("webhook")),
      bearer(revoked.secret),
      bearer(expired.secret),
      { "x-api-key": revoked.secret },
      { "x-api-key": "" },
      { authorization: `Basic ${btoa("user:password")}` },
      { ...bearer(good.secret), "x-api-key": generateKey("api") },
      { ...bearer(generateKey("api")), "x-api-key": good.secret },
    ];
    const shapes = new Set<string>();
    for (const headers of attempts) {
      for (const path of ["/api/v1/runs", "/api/v1/runs/run_unknown", "/api/v1/no-such-route", "/metrics"]) {
        const answer = await service.get(path, headers);
        shapes.add(JSON.stringify([answer.status, [...answer.headers].sort(), answer.text]));
      }
    }
    expect([...shapes]).toHaveLength(1);
    expect([...shapes][0]).toContain('["www-authenticate","Bearer"]');
  });

  it("does not take keys from the query", async () => {
    const service = await openTestService({ mode: "deployed" });
    const token = await makeKey(service, { kind: "api" });
    expect((await service.get(`/api/v1/runs?token=${token.secret}`)).status).toBe(401);
  });

  it("counts rejected requests", async () => {
    const service = await openTestService({ mode: "deployed" });
    const token = await makeKey(service, { kind: "api" });
    await service.get("/api/v1/runs");
    expect((await service.get("/metrics", bearer(token.secret))).text).toContain(
      'signalbox_unauthenticated_total{interface="api"} 1',
    );
  });
});

describe("in development", () => {
  it.each(closed)("$route needs no key", async ({ method, path }) => {
    const service = await openTestService();
    expect(accessFailures).not.toContain((await service.send(method, path)).status);
  });

  it("pages of other sites are rejected, on every route that needs a key", async () => {
    const service = await openTestService();
    for (const { method, path } of closed) {
      expect(
        (
          await service.send(method, path, {
            headers: { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
          })
        ).status,
      ).toBe(403);
    }
  });
});
