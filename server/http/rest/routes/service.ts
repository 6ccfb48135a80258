import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { AppError } from "../../../contract/app-error.ts";
import { createThrottledLog } from "../../../ports/logger.ts";
import { answer, defineRoute, problems } from "../define-route.ts";
import type { RestDeps, RestEnv } from "../rest-deps.ts";

const healthRoute = defineRoute({
  method: "get",
  path: "/healthz",
  operationId: "isAlive",
  summary: "Check that the process is alive",
  tags: ["Service"],
  security: [],
  responses: { 200: answer("The process is alive.", z.object({ ok: z.literal(true) })) },
});

const readiness = z.object({ ok: z.boolean(), reasons: z.array(z.string()) }).openapi("Readiness");

const readyRoute = defineRoute({
  method: "get",
  path: "/readyz",
  operationId: "isReady",
  summary: "Check that the service can accept and run webhooks",
  tags: ["Service"],
  security: [],
  responses: {
    200: answer("The store is writable, and a worker is alive.", readiness),
    503: answer("The service is not ready. `reasons` says why.", readiness),
  },
});

const metricsRoute = defineRoute({
  method: "get",
  path: "/metrics",
  operationId: "metrics",
  summary: "Get metrics for Prometheus",
  description: "A deployed service requires an API token: scrape with `authorization: { credentials: sbt_… }`.",
  tags: ["Service"],
  responses: {
    200: { description: "Prometheus text format 0.0.4.", content: { "text/plain": { schema: z.string() } } },
    ...problems(),
  },
});

export function registerServiceRoutes(app: OpenAPIHono<RestEnv>): void {
  app.openapi(healthRoute, (c) => c.json({ ok: true as const }, 200));

  app.openapi(readyRoute, async (c) => {
    const reasons = await reasonsNotToBeReady(c.env);
    return reasons.length === 0 ? c.json({ ok: true, reasons }, 200) : c.json({ ok: false, reasons }, 503);
  });

  app.openapi(metricsRoute, async (c) => {
    const { contentType, text } = await c.env.metrics.render();
    return c.text(text, 200, { "content-type": contentType });
  });
}

/** A worker says that it is there every few seconds. */
const workerSilenceMs = 15_000;

async function reasonsNotToBeReady({ store, clock, stopping, logger }: RestDeps): Promise<string[]> {
  if (stopping.aborted) return ["The service is shutting down."];
  try {
    await pingOnceASecond({ store, clock, logger });
    const workers = await store.listWorkers({ seenSince: clock.now() - workerSilenceMs });
    return workers.length > 0 ? [] : ["No worker has reported in the last 15 seconds."];
  } catch (error) {
    return [`Cannot write to the store.${error instanceof AppError ? ` ${error.message}` : ""}`];
  }
}

/**
 * A ping writes to the disk, and /readyz is open to everybody: however often it is asked, the store is asked once a
 * second.
 */
async function pingOnceASecond({ store, clock, logger }: Pick<RestDeps, "store" | "clock" | "logger">): Promise<void> {
  const now = clock.now();
  const last = lastPings.get(store);
  if (last && now >= last.at && now < last.at + 1000) return last.answer;
  const answer = store.ping();
  const logTrouble = last?.logTrouble ?? createThrottledLog((message, fields) => logger.warn(message, fields));
  lastPings.set(store, { at: now, answer, logTrouble });
  answer.catch((error: unknown) => logTrouble("store not responding", { error }));
  return answer;
}

const lastPings = new WeakMap<
  RestDeps["store"],
  { at: number; answer: Promise<void>; logTrouble: RestDeps["logger"]["warn"] }
>();
