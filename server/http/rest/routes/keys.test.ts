import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createWebhookAuthenticator, generateKey } from "../../../auth/keys/check-key.ts";
import { type Key, keySchema } from "../../../contract/access/key.ts";
import { createdKey } from "../schemas.ts";
import { bearer, deliver, executeRuns, makeKey, openTestService } from "../testing/test-service.ts";

const dayMs = 24 * 60 * 60 * 1000;
const rotated = z.object({ key: createdKey, old: keySchema });
const keyList = z.object({ data: z.array(keySchema) });

async function open(mode: "development" | "deployed" = "deployed") {
  const service = await openTestService({ mode });
  return { service, authenticate: createWebhookAuthenticator(service) };
}

describe("keys", () => {
  it("are created with their secret, and listed without it", async () => {
    const service = await openTestService();
    const answer = await service.post("/api/v1/keys", {
      kind: "webhook",
      name: " stripe ",
      endpoints: ["billing"],
      expiresAt: "2027-01-01T00:00:00+01:00",
    });
    expect(answer.status).toBe(201);
    const { secret, ...key } = createdKey.parse(answer.json);
    expect(key).toMatchObject({
      kind: "webhook",
      name: "stripe",
      endpoints: ["billing"],
      expiresAt: "2026-12-31T23:00:00.000Z",
      revokedAt: null,
      lastUsedAt: null,
    });
    const listed = await service.get("/api/v1/keys");
    expect(keyList.parse(listed.json).data).toEqual([key]);
    expect(listed.text).not.toContain(secret);
  });

  it("give access from their creation to their revocation, and none afterwards", async () => {
    const service = await openTestService({ mode: "deployed" });
    const token = await makeKey(service, { kind: "api" });
    const admin = bearer((await makeKey(service, { kind: "api" })).secret);
    expect((await service.get("/api/v1/keys", bearer(token.secret))).status).toBe(200);
    const revoked = await service.post(`/api/v1/keys/${token.id}/revoke`, undefined, admin);
    expect(keySchema.parse(revoked.json).revokedAt).toBe(new Date(service.state.now).toISOString());
    expect((await service.get("/api/v1/keys", bearer(token.secret))).status).toBe(401);
    service.state.now += 1000;
    const twice = await service.post(`/api/v1/keys/${token.id}/revoke`, undefined, admin);
    expect(twice.json).toEqual(revoked.json);
  });

  it("are rotated: an equal key replaces the old one, which is valid until the overlap ends", async () => {
    const { service, authenticate } = await open();
    const { state } = service;
    const admin = bearer((await makeKey(service, { kind: "api" })).secret);
    const old = await makeKey(service, { kind: "webhook", endpoints: ["billing"], expiresAt: state.now + 90 * dayMs });
    state.now += 60 * dayMs;
    const answer = await service.post(`/api/v1/keys/${old.id}/rotate`, { overlapSeconds: 3600 }, admin);
    expect(answer.status).toBe(201);
    const { key: next, old: ending } = rotated.parse(answer.json);
    expect(next).toMatchObject({
      kind: "webhook",
      name: old.name,
      endpoints: ["billing"],
      scope: null,
      expiresAt: new Date(state.now + 90 * dayMs).toISOString(),
      replacedBy: null,
    });
    expect(ending).toMatchObject({
      id: old.id,
      replacedBy: next.id,
      expiresAt: new Date(state.now + 3_600_000).toISOString(),
    });
    expect(answer.text).not.toContain(old.secret);
    for (const { secret } of [old, next]) expect((await authenticate([secret], "billing")).ok).toBe(true);
    expect((await authenticate([next.secret], "signup")).ok).toBe(false);
    expect((await service.get("/api/v1/url?for=billing", admin)).text).toContain(next.secret);
    const written = (await service.store.listAudit({}, { limit: 10, cursor: null })).data;
    expect(written.find(({ action }) => action === "key.rotated")).toMatchObject({
      subject: old.id,
      detail: { replacedBy: next.id },
    });
    expect(written.find(({ action, subject }) => action === "key.created" && subject === next.id)).toMatchObject({
      detail: { replaces: old.id },
    });
    expect(JSON.stringify(written)).not.toContain(next.secret);
    state.now += 3_600_000;
    expect((await authenticate([old.secret], "billing")).ok).toBe(false);
    expect((await authenticate([next.secret], "billing")).ok).toBe(true);
  });

  it("are rotated once each, with a default overlap of one day, or immediately without overlap", async () => {
    const service = await openTestService({ mode: "deployed" });
    const admin = bearer((await makeKey(service, { kind: "api" })).secret);
    const token = await makeKey(service, { kind: "api", scope: "read" });
    const rotate = (id: string, body?: { overlapSeconds: number }) =>
      service.post(`/api/v1/keys/${id}/rotate`, body, admin);
    const first = rotated.parse((await rotate(token.id)).json);
    expect(first.old.expiresAt).toBe(new Date(service.state.now + dayMs).toISOString());
    expect(first.key).toMatchObject({ kind: "api", scope: "read", expiresAt: null });
    const again = await rotate(token.id);
    expect([again.status, again.text]).toEqual([409, expect.stringContaining(first.key.id)]);
    const second = rotated.parse((await rotate(first.key.id, { overlapSeconds: 0 })).json);
    expect((await service.get("/api/v1/runs", bearer(first.key.secret))).status).toBe(401);
    expect((await service.get("/api/v1/runs", bearer(second.key.secret))).status).toBe(200);
    await service.store.revokeKey(second.key.id, service.state.now);
    expect((await rotate(second.key.id)).status).toBe(409);
    expect((await rotate("key_unknown")).status).toBe(404);
    expect((await rotate(token.id, { overlapSeconds: -1 })).status).toBe(422);
  });

  it("are visible only at their creation and in trigger URLs", async () => {
    const service = await openTestService({ mode: "deployed" });
    const token = await makeKey(service, { kind: "api" });
    const key = await makeKey(service, { kind: "webhook" });
    const [run] = (
      await deliver(service, { endpoint: "signup", body: '{ "name": "a", "email": "a@example.com" }', keyId: key.id })
    ).runs;
    await executeRuns(service);
    const asked = [
      "/api/v1/keys",
      "/api/v1/runs",
      `/api/v1/runs/${run?.id}`,
      `/api/v1/runs/${run?.id}/timeline`,
      "/api/v1/deliveries",
      "/api/v1/triggers",
      "/metrics",
      "/api/v1/nothing",
      "/api/v1/openapi.json",
    ];
    for (const secret of [token.secret, key.secret]) {
      asked.push(
        `/api/v1/runs?token=${secret}`,
        `/api/v1/runs?${secret}=1`,
        `/api/v1/runs/${secret}`,
        `/api/v1/url?for=${secret}`,
        `/api/v1/deliveries/${secret}`,
        `/${secret}`,
      );
    }
    const answers: string[] = [];
    for (const path of asked) {
      for (const headers of [
        bearer(token.secret),
        bearer(key.secret),
        bearer(`${token.secret}x`),
        { ...bearer(token.secret), "x-api-key": key.secret },
      ]) {
        const { text, headers: sent } = await service.get(path, headers);
        answers.push(text, JSON.stringify([...sent]));
      }
    }
    answers.push(
      (await service.post(`/api/v1/keys/${key.id}/revoke`, undefined, bearer(token.secret))).text,
      ...service.state.log,
    );
    const all = answers.join("\n");
    expect(all).not.toContain(token.secret);
    expect(all).not.toContain(key.secret);
    expect(all.length).toBeGreaterThan(5_000);
  });
});

describe("the keys of webhook senders", () => {
  it("are not needed in development", async () => {
    const { authenticate } = await open("development");
    expect(await authenticate([], "billing")).toMatchObject({ ok: true, keyId: null });
  });

  it("give access to their endpoints; every other string gets the same response", async () => {
    const { service, authenticate } = await open();
    const { state, store } = service;
    const all = await makeKey(service, { kind: "webhook" });
    const billing = await makeKey(service, { kind: "webhook", endpoints: ["billing"] });
    const revoked = await makeKey(service, { kind: "webhook" });
    await store.revokeKey(revoked.id, state.now);
    const expired = await makeKey(service, { kind: "webhook", expiresAt: state.now });
    const token = await makeKey(service, { kind: "api" });

    expect(await authenticate([all.secret], "signup")).toMatchObject({ ok: true, keyId: all.id });
    expect(await authenticate([billing.secret], "billing")).toMatchObject({ ok: true, keyId: billing.id });
    expect(await authenticate([billing.secret, all.secret], "billing")).toMatchObject({ ok: true, keyId: billing.id });
    expect(await authenticate([all.secret, all.secret], "billing")).toMatchObject({ ok: true, keyId: all.id });
    expect(await authenticate(["", "the sender's", all.secret], "billing")).toMatchObject({ ok: true, keyId: all.id });
    for (const presented of [
      [],
      [""],
      ["x"],
      [generateKey("webhook")],
      [token.secret],
      [revoked.secret],
      [expired.secret],
      [all.secret, generateKey("webhook")],
      [all.secret, "sbk_"],
      [billing.secret, revoked.secret],
      Array.from({ length: 100 }, () => generateKey("webhook")),
    ]) {
      expect(await authenticate(presented, "billing")).toEqual({ ok: false });
    }
    expect(await authenticate([billing.secret], "signup")).toEqual({ ok: false });
    expect(await authenticate([billing.secret], "billing/more")).toEqual({ ok: false });
  });

  it("are not looked up when they are malformed", async () => {
    const { service, authenticate } = await open();
    service.store.findKeyByHash = () => Promise.reject(new Error("asked"));
    expect(await authenticate(["sbk_nonsense"], "billing")).toEqual({ ok: false });
    await expect(authenticate([generateKey("webhook")], "billing")).rejects.toThrow("asked");
  });

  it("are rejected from the next request after their revocation", async () => {
    const { service, authenticate } = await open();
    const key = await makeKey(service, { kind: "webhook" });
    expect((await authenticate([key.secret], "billing")).ok).toBe(true);
    await service.store.revokeKey(key.id, service.state.now);
    expect((await authenticate([key.secret], "billing")).ok).toBe(false);
  });

  it("have their last use recorded once a minute, without delaying a request", async () => {
    const { service, authenticate } = await open();
    const key = await makeKey(service, { kind: "webhook" });
    const noted: number[] = [];
    service.store.touchKey = (_, now) => {
      noted.push(now);
      return new Promise<void>(() => {});
    };
    const begun = service.state.now;
    for (const wait of [0, 1_000, 58_000, 1_000, 59_999, 1]) {
      service.state.now += wait;
      expect((await authenticate([key.secret], "billing")).ok).toBe(true);
    }
    expect(noted).toEqual([begun, begun + 60_000, begun + 120_000]);
  });

  it("work even if their use cannot be recorded", async () => {
    const { service, authenticate } = await open();
    const key = await makeKey(service, { kind: "webhook" });
    service.store.touchKey = () => Promise.reject(new Error("full"));
    expect((await authenticate([key.secret], "billing")).ok).toBe(true);
  });

  it("show the time of their last use", async () => {
    const { service, authenticate } = await open();
    const key = await makeKey(service, { kind: "webhook" });
    await authenticate([key.secret], "billing");
    const stored = async (): Promise<Key | undefined> =>
      (await service.store.listKeys()).find(({ id }) => id === key.id);
    await expect.poll(async () => (await stored())?.lastUsedAt).toBe(new Date(service.state.now).toISOString());
  });
});
