import { expect, it } from "vitest";
import { silentLogger } from "../ports/logger.ts";
import { createHealthHandler } from "./health.ts";
import { createReadiness } from "./readiness.ts";
import { serve } from "./testing/serve.ts";

function open(p: { workers?: number; ping?: () => Promise<void> } = {}) {
  const stopping = new AbortController();
  const store = {
    ping: p.ping ?? (async () => {}),
    listWorkers: async () => Array.from({ length: p.workers ?? 1 }, (_, n) => ({ id: `wrk_${n}` }) as never),
  };
  const readiness = createReadiness({
    store,
    clock: { now: () => 0 },
    logger: silentLogger,
    stopping: stopping.signal,
  });
  return { stopping, health: createHealthHandler(readiness) };
}

it("health checks are answered without web, with and without a query, as GET and as HEAD", async () => {
  const served = await serve({ health: open().health });
  await served.closeWeb(0);
  for (const path of ["/healthz", "/readyz", "/healthz?probe=1"]) {
    const response = await fetch(served.url + path);
    expect([path, response.status, (await response.json()) as unknown]).toEqual([
      path,
      200,
      path === "/readyz" ? { ok: true, reasons: [] } : { ok: true },
    ]);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const head = await fetch(served.url + path, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  }
});

it("everything else on these paths is for web", async () => {
  const { url } = await serve({ health: open().health, rest: async ({ method }) => new Response(`web ${method}`) });
  expect(await (await fetch(`${url}/healthz`, { method: "POST" })).text()).toBe("web POST");
  expect(await (await fetch(`${url}/metrics`)).text()).toBe("web GET");
});

it("the reasons say why the service cannot accept and run webhooks", async () => {
  const ask = async (parts: ReturnType<typeof open>) => {
    const { url } = await serve({ health: parts.health });
    const response = await fetch(`${url}/readyz`);
    return [response.status, (await response.json()) as unknown];
  };
  expect(await ask(open({ workers: 0 }))).toEqual([
    503,
    { ok: false, reasons: ["No worker has reported in the last 15 seconds."] },
  ]);
  expect(await ask(open({ ping: () => Promise.reject(new Error("secret path")) }))).toEqual([
    503,
    { ok: false, reasons: ["Cannot write to the store."] },
  ]);
  const closing = open();
  closing.stopping.abort();
  expect(await ask(closing)).toEqual([503, { ok: false, reasons: ["The service is shutting down."] }]);
});
