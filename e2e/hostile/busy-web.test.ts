import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { isStopped } from "../auditor/processes.ts";
import { flood } from "./flood.ts";
import { startHostileService } from "./hostile-service.ts";
import { expectUndelayed, sendWebhooksDuring } from "./paced-webhooks.ts";

const json = { "content-type": "application/json" };
/** Webhooks that must be answered while the web process is busy. In one process, these floods stopped receiving. */
const minAnswered = 10;

it("while 1,500 requests for the OpenAPI document, 200 sign-ins and 400 pages are in progress, webhooks are answered as before", async () => {
  const service = await startHostileService({ env: { SIGNALBOX_TRUST_PROXY: "127.0.0.1" } });
  const { url } = service;
  const pids = [service.pidOf("receiver"), service.pidOf("web")];
  const idle = await sendWebhooksDuring(service, Promise.resolve());
  const guess = '{"email":"eve{n}@example.com","password":"a guess of many characters"}';
  const floods = [
    { method: "GET", path: "/api/v1/openapi.json?{n}", headers: {}, body: null, count: 1_500 },
    { method: "POST", path: "/api/auth/sign-in", headers: json, body: guess, count: 200 },
    { method: "GET", path: "/sign-in?{n}", headers: {}, body: null, count: 400 },
  ];
  let from = 0;
  for (const one of floods) {
    const { medianMs, answeredDuring } = await sendWebhooksDuring(service, flood({ ...one, url, from }));
    from += one.count;
    expectUndelayed(medianMs, idle.medianMs, one.path);
    expect(answeredDuring, one.path).toBeGreaterThan(minAnswered);
  }
  expect([service.pidOf("receiver"), service.pidOf("web")]).toEqual(pids);
});

it("while the web process is stopped and 3,000 requests wait for it, webhooks are answered; beyond the limit, requests get 503", async () => {
  const service = await startHostileService({ env: { SIGNALBOX_TRUST_PROXY: "127.0.0.1" } });
  const pids = [service.pidOf("receiver"), service.pidOf("web")];
  const web = service.pidOf("web");
  // The supervisor would end a stopped process after ten seconds.
  const stopped = [service.child.pid ?? 0, web];
  for (const pid of stopped) process.kill(pid, "SIGSTOP");
  const resume = () => stopped.toReversed().forEach((pid) => void (isStopped(pid) && process.kill(pid, "SIGCONT")));
  onTestFinished(resume);
  const flooded = flood({
    url: service.url,
    method: "GET",
    path: "/runs",
    headers: {},
    body: null,
    count: 3_000,
    from: 0,
  });
  // A probe that waits stays: if it gave up, it would leave its place to the next.
  const probes: Promise<Response>[] = [];
  await vi.waitFor(async () => {
    const probe = fetch(`${service.url}/api/v1/runs`);
    probes.push(probe);
    const response = await Promise.race([probe, delay(1_000, null)]);
    expect(response?.status).toBe(503);
  });
  await sendWebhooksDuring(service, Promise.resolve(), { min: 100 });
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  expect(isStopped(web)).toBe(true);
  resume();
  const results = await flooded;
  await Promise.all(probes);
  // At most half of the 5,000 connections are for web. The kernel may admit fewer at once.
  expect(results.filter((result) => result === 503).length).toBeGreaterThanOrEqual(500);
  expect(results.filter((result) => result === 303).length).toBeGreaterThan(0);
  expect(results.filter((result) => ![303, 429, 503].some((status) => status === result))).toEqual([]);
  expect([service.pidOf("receiver"), service.pidOf("web")]).toEqual(pids);
});
