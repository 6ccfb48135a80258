import { describe, expect, it } from "vitest";
import { generateKey } from "../../auth/key-format.ts";
import type { Access } from "../../auth/principal.ts";
import { routeAccess } from "./route-access.ts";
import { bearer, makeKey, openTestService } from "./testing/test-service.ts";

const routes = Object.entries(routeAccess).map(([route, access]) => {
  const [method = "", path = ""] = route.split(" ");
  return { route, method, path: path.replaceAll(/\{\w+\}/g, "unknown"), access: access as Access };
});
const closed = routes.filter(({ access }) => access !== "open");

/** What the door says before a route is reached; anything else means that the route was reached. */
const refusals = [401, 403];

describe("who may use which route of a deployed service", () => {
  it.each(routes)("$route needs what the table says ($access)", async ({ method, path, access }) => {
    const service = await openTestService({ mode: "deployed" });
    const token = await makeKey(service, { kind: "api" });
    const key = await makeKey(service, { kind: "webhook" });

    const anonymous = await service.send(method, path);
    const withKey = await service.send(method, path, { headers: bearer(key.secret) });
    const withToken = await service.send(method, path, { headers: bearer(token.secret) });

    expect(anonymous.status === 401).toBe(access !== "open");
    expect(withKey.status === 403).toBe(access === "full");
    expect(refusals).not.toContain(withToken.status);
    expect(withKey.status).not.toBe(401);
  });

  it.each(closed)("$route takes the key by x-api-key as well", async ({ method, path }) => {
    const service = await openTestService({ mode: "deployed" });
    const token = await makeKey(service, { kind: "api" });
    expect(refusals).not.toContain((await service.send(method, path, { headers: { "x-api-key": token.secret } })).status);
  });

  it("refuses every bad key with the very same answer, on every path", async () => {
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

  it("counts what it turned away", async () => {
    const service = await openTestService({ mode: "deployed" });
    const token = await makeKey(service, { kind: "api" });
    await service.get("/api/v1/runs");
    expect((await service.get("/metrics", bearer(token.secret))).text).toContain('signalbox_unauthenticated_total{door="api"} 1');
  });
});

describe("in development", () => {
  it.each(closed)("$route needs no key", async ({ method, path }) => {
    const service = await openTestService();
    expect(refusals).not.toContain((await service.send(method, path)).status);
  });

  it("pages of other sites are refused, on every route behind a key", async () => {
    const service = await openTestService();
    for (const { method, path } of closed) {
      expect((await service.send(method, path, { headers: { "sec-fetch-site": "cross-site", origin: "https://evil.example" } })).status).toBe(403);
    }
  });
});
