import { describe, expect, it } from "vitest";
import { createApiAuthenticator } from "../../auth/authenticate/api-authenticator.ts";
import type { Mode } from "../../config.ts";
import { makeKey, openTestService } from "../rest/testing/test-service.ts";
import { createPageGate } from "./page-gate.ts";
import { serve } from "../testing/serve.ts";

async function open(mode: Mode = "deployed") {
  const service = await openTestService({ mode });
  // Requests that are not local are authenticated as by a deployed service.
  const gate = createPageGate({
    mode,
    authenticate: createApiAuthenticator({
      ...service.deps,
      baseUrl: null,
      mode: "deployed",
      sessionSecret: "a session secret of many characters",
    }),
  });
  const served = await serve({ gate, pages: { handle: (_, response) => void response.end("the page") } });
  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(served.url + path, { headers, redirect: "manual" });
  return { service, ask };
}

it.each([
  "/",
  "/runs",
  "/runs/run_1?replay=edit",
  "/settings/people",
  "/errors",
  "/errors/not_found/x",
  "/no-such-page",
  "/_next/data/x.json",
  "/sign-in/x",
  "/invite",
  "/setup/a/b",
  "/runs?_rsc=abc",
])("an anonymous request for %s leads to /sign-in, and from there to the page", async (path) => {
  const { ask } = await open();
  const answer = await ask(path, { rsc: "1" });
  expect(answer.status).toBe(303);
  const next = path === "/" ? "" : `?next=${encodeURIComponent(path.replace("?_rsc=abc", ""))}`;
  expect(answer.headers.get("location")).toBe(`/sign-in${next}`);
  expect(await answer.text()).toBe("");
});

it("the page that a problem links to is open: senders of webhooks follow the link, too", async () => {
  const { ask } = await open();
  expect(await (await ask("/errors/body_too_large")).text()).toBe("the page");
});

it("the address of the sign-in page has no key of the requested one", async () => {
  const { service, ask } = await open();
  for (const kind of ["webhook", "api"] as const) {
    const { secret } = await makeKey(service, { kind, ...(kind === "api" ? { scope: "read" as const } : {}) });
    for (const path of [
      `/trigger/signup?token=${secret}&a=1`,
      `/trigger/signup?a=1&api_key=%73${secret.slice(1)}`,
      `/trigger/${secret}?a=1`,
      `/trigger/signup?${secret}&a=1`,
    ]) {
      const location = decodeURIComponent((await ask(path)).headers.get("location") ?? "");
      expect(location).toMatch(/^\/sign-in\?next=\/trigger\/.*a=1/);
      expect(location).not.toContain(secret.slice(1));
    }
  }
});

it.each([
  "/sign-in",
  "/sign-in?next=%2Fruns",
  "/setup/token",
  "/invite/token",
  "/reset/token",
  "/_next/static/chunks/a.js",
  "/icon.svg",
])("%s is open to anonymous clients", async (path) => {
  expect(await (await (await open()).ask(path)).text()).toBe("the page");
});

it("admits valid sessions, and nothing that only looks like one", async () => {
  const { service, ask } = await open();
  const token = await makeKey(service, { kind: "api", scope: "read" });
  const key = await makeKey(service, { kind: "webhook" });
  expect((await ask("/runs", { cookie: `signalbox_session=${token.secret}` })).status).toBe(200);
  expect((await ask("/runs", { cookie: `signalbox_session=${key.secret}` })).status).toBe(303);
  expect((await ask("/runs", { cookie: "signalbox_person=x.y" })).status).toBe(303);
  expect((await ask("/runs", { authorization: `Bearer ${token.secret}` })).status).toBe(303);
});

describe("in development", () => {
  it("is open to local requests", async () => {
    const { ask } = await open("development");
    expect(await (await ask("/runs")).text()).toBe("the page");
  });

  it("redirects forwarded requests to /sign-in, and accepts their session", async () => {
    const { service, ask } = await open("development");
    const forwarded = { "x-forwarded-for": "203.0.113.5" };
    expect((await ask("/runs", forwarded)).headers.get("location")).toBe("/sign-in?next=%2Fruns");
    expect((await ask("/sign-in", forwarded)).status).toBe(200);
    const token = await makeKey(service, { kind: "api", scope: "read" });
    expect((await ask("/runs", { ...forwarded, cookie: `signalbox_session=${token.secret}` })).status).toBe(200);
  });
});
