import { expect, it } from "vitest";
import { silentLogger } from "../ports/logger.ts";
import { createHealthHandler } from "./health.ts";
import { createReadiness } from "./readiness.ts";
import type { DueRuns } from "../domain/runs/blocked-work.ts";
import type { StoreStall } from "../domain/store-stall.ts";
import type { WorkerInfo } from "../ports/store/engine-store.ts";
import { projectFixture } from "./rest/testing/project-fixture.ts";
import { serve } from "./testing/serve.ts";

const now = Date.UTC(2026, 0, 1);
const worker: WorkerInfo = {
  id: "wrk_1",
  pid: 1,
  host: "h",
  version: "v1",
  startedAt: 0,
  seenAt: now - 1_000,
  pool: "shared",
  isResponsive: true,
  freeSlots: 0,
};

function open(p: { workers?: WorkerInfo[]; ping?: () => Promise<void>; dueSince?: number; stall?: StoreStall } = {}) {
  const stopping = new AbortController();
  const due: DueRuns[] = p.dueSince ? [{ pool: "shared", version: null, runs: 2, oldestAt: p.dueSince }] : [];
  const readiness = createReadiness({
    store: {
      ping: p.ping ?? (async () => {}),
      listWorkers: async () => p.workers ?? [worker],
      listDueRuns: async () => due,
      stall: () => p.stall ?? null,
    },
    project: { current: projectFixture },
    clock: { now: () => now },
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
      path === "/readyz" ? { ok: true, reasons: [], warnings: [] } : { ok: true },
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
  const noWorker = "No worker has reported in the last 15 seconds.";
  const warnings: string[] = [];
  for (const workers of [[], [{ ...worker, pool: "isolated" as const }]])
    expect(await ask(open({ workers }))).toEqual([503, { ok: false, reasons: [noWorker], warnings }]);
  expect(await ask(open({ ping: () => Promise.reject(new Error("secret path")) }))).toEqual([
    503,
    { ok: false, reasons: ["Cannot write to the store."], warnings },
  ]);
  const closing = open();
  closing.stopping.abort();
  expect(await ask(closing)).toEqual([503, { ok: false, reasons: ["The service is shutting down."], warnings }]);
  const dueSince = now - 60_000;
  const blocked = "2 runs are due, and no worker can take them, since 2025-12-31 23:59:00.000 UTC:";
  expect(await ask(open({ dueSince, workers: [{ ...worker, isResponsive: false }] }))).toEqual([
    503,
    { ok: false, reasons: [`${blocked} code blocks the event loop of the only worker.`], warnings },
  ]);
  expect(await ask(open({ dueSince, workers: [] }))).toEqual([
    503,
    { ok: false, reasons: [noWorker, `${blocked} no worker has reported in the last 15 seconds.`], warnings },
  ]);
  // Webhooks are accepted while all workers are busy.
  const busy = "all slots of 1 worker are taken; runs that wait for other runs can block each other.";
  expect(await ask(open({ dueSince }))).toEqual([200, { ok: true, reasons: [], warnings: [`${blocked} ${busy}`] }]);
});

const neverAnswer = () => new Promise<never>(() => {});

it("/readyz reports a store that does not respond at once, without waiting for it", async () => {
  const { url } = await serve({
    health: open({ ping: neverAnswer, stall: { waitingFor: "write of a webhook", ms: 6_000 } }).health,
  });
  const response = await fetch(`${url}/readyz`);
  expect([response.status, await response.json()]).toEqual([
    503,
    { ok: false, reasons: ["The store has not responded for 6 s (write of a webhook)."], warnings: [] },
  ]);
});
