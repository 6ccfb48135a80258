import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { scopeOf } from "../../../auth/access/principal.ts";
import { scopeSchema } from "../../../contract/access/key.ts";
import { createReadiness } from "../../readiness.ts";
import { answer, defineRoute, problems } from "../define-route.ts";
import { noQuery } from "../request-schemas.ts";
import type { RestEnv } from "../rest-deps.ts";

const healthRoute = defineRoute({
  method: "get",
  path: "/healthz",
  operationId: "isAlive",
  summary: "Check that the process is alive",
  tags: ["Service"],
  security: [],
  responses: {
    200: answer("The process is alive.", z.object({ ok: z.literal(true).describe("Whether it succeeded.") })),
  },
});

const readiness = z
  .object({
    ok: z.boolean().describe("Whether it succeeded."),
    reasons: z.array(z.string()).describe("Why the service is not ready. Empty if it is."),
    warnings: z
      .array(z.string())
      .describe("Which due runs no worker can take, and why, although the service is ready."),
  })
  .openapi("Readiness");

const readyRoute = defineRoute({
  method: "get",
  path: "/readyz",
  operationId: "isReady",
  summary: "Check that the service can accept and run webhooks",
  tags: ["Service"],
  security: [],
  responses: {
    200: answer(
      "The store is writable, and a worker is alive. `warnings` says which due runs no worker can take, and why.",
      readiness,
    ),
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

const accessRoute = defineRoute({
  method: "get",
  path: "/api/v1/access",
  operationId: "getAccess",
  summary: "Get the permissions of the client",
  tags: ["Service"],
  request: { query: noQuery },
  responses: {
    200: answer(
      "The permissions.",
      z.object({ scope: scopeSchema.describe("`read`, `operate` or `admin`.") }).openapi("Access"),
    ),
    ...problems(),
  },
});

export function registerServiceRoutes(app: OpenAPIHono<RestEnv>): void {
  app.openapi(healthRoute, (c) => c.json({ ok: true as const }, 200));

  app.openapi(readyRoute, async (c) => {
    const report = await createReadiness(c.env)();
    return report.reasons.length === 0 ? c.json({ ok: true, ...report }, 200) : c.json({ ok: false, ...report }, 503);
  });

  app.openapi(accessRoute, (c) => c.json({ scope: scopeOf(c.var.principal) ?? "read" }, 200));

  app.openapi(metricsRoute, async (c) => {
    const { contentType, text } = await c.env.metrics.render();
    return c.text(text, 200, { "content-type": contentType });
  });
}
