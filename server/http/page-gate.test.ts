import { expect, it } from "vitest";
import type { Mode } from "../config.ts";
import { makeKey, openTestService } from "./rest/testing/test-service.ts";
import { createPageGate } from "./page-gate.ts";
import { serve } from "./testing/serve.ts";

async function open(mode: Mode = "deployed") {
  const service = await openTestService({ mode });
  const gate = createPageGate({ ...service.deps, ownHost: null });
  const served = await serve({ gate, pages: { handle: (_, response) => void response.end("the page") } });
  const ask = (path: string, headers: Record<string, string> = {}) => fetch(served.url + path, { headers, redirect: "manual" });
  return { service, ask };
}

it.each(["/", "/runs", "/runs/run_1?replay=edit", "/settings/people", "/errors/not_found", "/no-such-page", "/_next/data/x.json", "/sign-in/x", "/invite", "/setup/a/b", "/runs?_rsc=abc"])(
  "a stranger who asks for %s comes to /sign-in, and from there to the page",
  async (path) => {
    const { ask } = await open();
    const answer = await ask(path, { rsc: "1" });
    expect(answer.status).toBe(303);
    const next = path === "/" ? "" : `?next=${encodeURIComponent(path.replace("?_rsc=abc", ""))}`;
    expect(answer.headers.get("location")).toBe(`/sign-in${next}`);
    expect(await answer.text()).toBe("");
  },
);

it.each(["/sign-in", "/sign-in?next=%2Fruns", "/setup/token", "/invite/token", "/reset/token", "/_next/static/chunks/a.js", "/icon.svg"])("%s is open: by it one comes in", async (path) => {
  expect(await (await (await open()).ask(path)).text()).toBe("the page");
});

it("opens with a session, and to nothing that only looks like one", async () => {
  const { service, ask } = await open();
  const token = await makeKey(service, { kind: "api", scope: "read" });
  const key = await makeKey(service, { kind: "webhook" });
  expect((await ask("/runs", { cookie: `signalbox_session=${token.secret}` })).status).toBe(200);
  expect((await ask("/runs", { cookie: `signalbox_session=${key.secret}` })).status).toBe(303);
  expect((await ask("/runs", { cookie: "signalbox_person=x.y" })).status).toBe(303);
  expect((await ask("/runs", { authorization: `Bearer ${token.secret}` })).status).toBe(303);
});

it("does not exist in development", async () => {
  expect(await (await (await open("development")).ask("/runs")).text()).toBe("the page");
});
