import { describe, expect, it } from "vitest";
import { bearer, makeKey, openTestService } from "../../http/rest/testing/test-service.ts";
import { createTrpc } from "../../trpc/create-trpc.ts";
import { handleTokenSignIn } from "./token-session.ts";

const origin = "http://hooks.example.com";

const ownPage = { "sec-fetch-site": "same-origin" };

async function open() {
  const service = await openTestService({ mode: "deployed" });
  const { deps } = service;
  const signIn = (token: string, isSecure = false, headers: Record<string, string> = ownPage, next = "") => {
    const body = new URLSearchParams({ token, next });
    return handleTokenSignIn(
      { authenticate: deps.authenticate, isSecure, ownHost: "signalbox.example.com" },
      new Request(`${origin}/api/auth/token`, { method: "POST", body, headers }),
    ).then(({ response }) => response);
  };
  const ask = (headers: Record<string, string>, method = "GET") =>
    deps.authenticate(new Request(`${origin}/api/v1/runs`, { method, headers }));
  return { service, deps, signIn, ask };
}

describe("signing in with an API token", () => {
  it("sets a cookie that no script and no other site's form can use, and that opens what the token opens", async () => {
    const { service, deps, signIn, ask } = await open();
    const { secret } = await makeKey(service, { kind: "api" });
    const answer = await signIn(secret, true);
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe("/");
    const cookie = answer.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    const session = { cookie: cookie.split(";")[0] ?? "" };
    expect(await ask(session)).toMatchObject({ kind: "token" });
    const trpc = createTrpc({ ...deps, name: "my project", news: deps.store });
    expect(await trpc.caller(new Headers(session)).runs.list({})).toMatchObject({ data: [] });
    await expect(ask({ ...session, origin: "https://evil.example" })).rejects.toMatchObject({ code: "forbidden" });
    await expect(ask({ ...session, "sec-fetch-site": "cross-site" }, "POST")).rejects.toMatchObject({
      code: "forbidden",
    });
    // A key that is sent on purpose counts alone.
    await expect(ask({ ...session, ...bearer("sbt_wrong") })).rejects.toMatchObject({ code: "unauthorized" });
  });

  it("rejects a token that may not read pages, and a webhook key, without a cookie", async () => {
    const { service, signIn } = await open();
    const keys = [await makeKey(service, { kind: "api", scope: "feed" }), await makeKey(service, { kind: "webhook" })];
    for (const { secret } of keys) {
      const answer = await signIn(secret);
      expect(answer.headers.get("location")).toBe("/sign-in?failed=token&next=%2F");
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
  });

  it.each([
    ["an unknown token", "sbt_unknown"],
    ["what is no token at all", "héllo\nworld"],
  ])("rejects %s without a cookie", async (_, token) => {
    const answer = await (await open()).signIn(token);
    expect(answer.headers.get("location")).toBe("/sign-in?failed=token&next=%2F");
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  it.each([
    ["/runs/run_1?replay=edit", "/runs/run_1?replay=edit"],
    ["/?node=trigger%3Ainvoice-paid", "/?node=trigger%3Ainvoice-paid"],
    ["//evil.example/", "/"],
    ["/.//evil.example/", "/"],
    ["/\\evil.example", "/"],
    ["https://evil.example/", "/"],
    ["javascript:alert(1)", "/"],
    ["runs", "/"],
  ])("leads to the page that was asked for (%s), and to none of another site's", async (next, page) => {
    const { service, signIn } = await open();
    const { secret } = await makeKey(service, { kind: "api" });
    expect((await signIn(secret, false, ownPage, next)).headers.get("location")).toBe(page);
    const failed = new URL((await signIn("sbt_unknown", false, ownPage, next)).headers.get("location") ?? "", origin);
    expect([failed.origin, failed.pathname, failed.searchParams.get("next")]).toEqual([origin, "/sign-in", page]);
  });

  it("rejects a webhook key", async () => {
    const { service, signIn } = await open();
    const { secret } = await makeKey(service, { kind: "webhook" });
    expect((await signIn(secret)).headers.get("location")).toBe("/sign-in?failed=token&next=%2F");
  });

  it.each<Record<string, string>>([
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "cross-site", origin },
    { origin: "https://evil.example" },
    { origin: `${origin}.evil.example` },
    { origin: "null" },
    {},
  ])("rejects the form of another site (%j)", async (headers) => {
    const { service, signIn } = await open();
    const { secret } = await makeKey(service, { kind: "api" });
    const answer = await signIn(secret, false, headers);
    expect([answer.headers.get("location"), answer.headers.get("set-cookie")]).toEqual(["/", null]);
  });

  it.each<Record<string, string>>([
    { "sec-fetch-site": "same-origin", origin: "null" },
    { "sec-fetch-site": "none" },
    { origin },
    { origin: "https://signalbox.example.com" },
  ])("signs in by a form of its own pages (%j)", async (headers) => {
    const { service, signIn } = await open();
    const { secret } = await makeKey(service, { kind: "api" });
    expect((await signIn(secret, false, headers)).headers.get("set-cookie")).toContain(secret);
  });
});
