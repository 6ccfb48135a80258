import { Agent } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { anonymousRoutes } from "../../server/http/anonymous-routes.ts";
import { getJson } from "../support/api.ts";
import { post } from "./bystander.ts";
import type { Flood } from "./flood-worker.ts";
import { flood } from "./flood.ts";
import { type HostileService, startHostileService } from "./hostile-service.ts";
import { signInBodies } from "./sign-in-bodies.ts";

const atOnce = 1_500;
/**
 * Of requests without credentials, and of those with unknown ones: an eighth of the default of `limits.connections`.
 * Further ones get 503.
 */
const maxInProgress = 625;
/**
 * The maximum CPU time of the receiver and the web process for 1,500 requests to one route. It is a multiple of the
 * same flood of `/metrics`, which rejects them, in the same run. Measured with one process and `/healthz`: up to 7, for
 * pages. Without bounds: 22, for the OpenAPI document.
 */
const maxCostRatio = 16;
/**
 * Separates "a busy machine" from "nothing is received while it lasts". A machine that needs longer for the flood of
 * `/metrics` needs as many times longer for the others.
 */
const minMaxWaitMs = 20_000;
/**
 * Measured: 559 and 609 MiB. A web process has up to 300 MiB under load; 1,500 rendered pages at once would have 700
 * more.
 */
const maxMemoryMb = 800;
/** Of 1,500 rejected sign-ins, 50 are recorded at once and 12 a minute afterwards. */
const maxRecorded = 50 + 12 * 10;
/** Half of what a key may have: on a busy machine, reads take seconds during a flood, and 33 of one key are rejected. */
const maxReadsInProgress = 16;

const json = { "content-type": "application/json" };

type Route = Pick<Flood, "method" | "path" | "headers" | "body">;

/** All routes that are open to anonymous clients. A route that is added there is flooded, too. */
const open = anonymousRoutes.map(({ method, path }): Route => ({
  method,
  path: path.replaceAll(/\{\w+\+?\}/g, "guess{n}") + (path.includes("callback") ? "?code=x&state=y" : ""),
  headers: method === "POST" ? json : {},
  body: method === "POST" ? (signInBodies[path] ?? "{}") : null,
}));
const read = { method: "GET", headers: {}, body: null };
/** What rejects anonymous clients, and what they may send besides. */
const guarded: Route[] = [
  { ...read, path: "/" },
  { ...read, path: "/runs?text={n}" },
  { ...read, path: "/nowhere{n}" },
  { ...read, path: "/api/v1/runs" },
  { ...read, path: "/api/v1/runs", headers: { authorization: "Bearer sbt_guess{n}" } },
  { ...read, path: "/runs", headers: { cookie: "signalbox_session=sbt_guess{n}" } },
  { ...read, path: "/api/trpc/runs.list,runs.list,runs.list,runs.list?batch=1&input={}" },
  { ...read, path: "/api/v1/openapi.json?{n}" },
  {
    method: "POST",
    path: "/api/auth/token",
    headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
    body: "token=sbt_guess{n}&next=/",
  },
  {
    method: "POST",
    path: "/sign-in",
    headers: { "next-action": "7f0123456789", "content-type": "text/plain" },
    body: "[]",
  },
  { method: "POST", path: "/triggers/nowhere{n}", headers: json, body: "{}" },
];

it("1,500 anonymous requests at once to each route delay no webhook beyond seconds and no API token, end no process, and fill neither memory nor audit log", async () => {
  const service = await startHostileService({ env: { SIGNALBOX_TRUST_PROXY: "127.0.0.1" } });
  const pids = () => [service.pidOf("receiver"), service.pidOf("web")];
  const startedWith = pids();
  let from = 0;
  let cheapestCpuMs: number | null = null;
  let maxWaitMs = minMaxWaitMs;
  for (const route of [{ ...read, path: "/metrics" }, ...open, ...guarded]) {
    const name = `${route.method} ${route.path} ${Object.keys(route.headers).join()}`;
    const cpuBefore = service.cpuMs();
    const startedAt = performance.now();
    const bystander = startPunctualBystander(service);
    const answers = await flood({ ...route, url: service.url, count: atOnce, from });
    const { webhooks, reads } = await bystander.finish();
    from += atOnce;
    const failed = answers.filter((result) => typeof result !== "number" || result >= 500);
    expect(
      failed.filter((result) => result !== 503),
      name,
    ).toEqual([]);
    expect(failed.length, `${name}: rejected with 503`).toBeLessThanOrEqual(atOnce - maxInProgress);
    const cpuMs = service.cpuMs() - cpuBefore;
    if (cheapestCpuMs === null) maxWaitMs = Math.max(maxWaitMs, maxCostRatio * (performance.now() - startedAt));
    cheapestCpuMs ??= cpuMs;
    expect(cpuMs / cheapestCpuMs, `${name}: CPU time, to that of /metrics`).toBeLessThan(maxCostRatio);
    expect(new Set(webhooks.map(({ status }) => status)), name).toEqual(new Set([202]));
    expect(Math.max(...webhooks.map(({ tookMs }) => tookMs)), `${name}: slowest webhook`).toBeLessThan(maxWaitMs);
    expect(new Set(reads.map(({ status }) => status)), name).toEqual(new Set([200]));
    expect(Math.max(...reads.map(({ tookMs }) => tookMs)), `${name}: slowest read`).toBeLessThan(maxWaitMs);
  }
  expect(pids()).toEqual(startedWith);
  expect(service.peakMemoryMb()).toBeLessThan(maxMemoryMb);
  expect(await countRejectedSignIns(service)).toBeLessThanOrEqual(maxRecorded);
});

interface Sent {
  status: number;
  tookMs: number;
}

/**
 * Honest clients: a webhook every 25 ms and a read with an API token every 100 ms, whether or not those before were
 * answered; but at most `maxReadsInProgress`. At least half a second long.
 */
function startPunctualBystander({ url, key, token }: HostileService): {
  finish(): Promise<{ webhooks: Sent[]; reads: Sent[] }>;
} {
  const agent = new Agent({ keepAlive: false });
  const webhooks: Promise<Sent>[] = [];
  const reads: Promise<Sent>[] = [];
  let readsInProgress = 0;
  const readRuns = async () => {
    readsInProgress += 1;
    const read = await timed(fetch(`${url}/api/v1/runs?limit=1`, { headers: { authorization: `Bearer ${token}` } }));
    readsInProgress -= 1;
    return read;
  };
  const enough = Promise.withResolvers<void>();
  const sending = setInterval(() => {
    webhooks.push(
      timed(post({ url: `${url}/triggers/signup`, body: '{"name":"Ada"}', headers: { "x-api-key": key }, agent })),
    );
    if (webhooks.length % 4 === 0 && readsInProgress < maxReadsInProgress) reads.push(readRuns());
    if (webhooks.length === 20) enough.resolve();
  }, 25);
  onTestFinished(() => clearInterval(sending));
  return {
    async finish() {
      await enough.promise;
      clearInterval(sending);
      const sent = { webhooks: await Promise.all(webhooks), reads: await Promise.all(reads) };
      agent.destroy();
      return sent;
    },
  };
}

async function timed(answer: Promise<{ status: number }>): Promise<Sent> {
  const startedAt = performance.now();
  const { status } = await answer.catch(() => ({ status: 0 }));
  return { status, tookMs: performance.now() - startedAt };
}

async function countRejectedSignIns({ url, token }: HostileService): Promise<number> {
  let rejected = 0;
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: { data: unknown[]; nextCursor: string | null } = await getJson(
      `${url}/api/v1/audit?limit=100&action=session.rejected${cursor && `&cursor=${cursor}`}`,
      { authorization: `Bearer ${token}` },
    );
    rejected += page.data.length;
    cursor = page.nextCursor;
  }
  return rejected;
}
