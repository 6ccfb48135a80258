import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { testAlerts } from "../../../alerts/test-alerts.ts";
import { answer, defineRoute, problems } from "../define-route.ts";
import { noQuery, paging, querySchema } from "../request-schemas.ts";
import type { RestEnv } from "../rest-deps.ts";
import { alertList, alertTest, listOf } from "../schemas.ts";

const listRoute = defineRoute({
  method: "get",
  path: "/api/v1/alerts",
  operationId: "listAlerts",
  summary: "List alerts",
  description: "Active and past alerts with their messages, newest first.",
  tags: ["Alerts"],
  request: {
    query: querySchema({
      status: z.enum(["active", "resolved"]).optional().describe("Only entries with this status."),
      ...paging,
    }),
  },
  responses: { 200: answer("A page of alerts.", alertList), ...problems() },
});

const testRoute = defineRoute({
  method: "post",
  path: "/api/v1/alerts/test",
  operationId: "testAlerts",
  summary: "Send a test alert",
  description: "Sends a message of the type `alert.test` to each destination, once, and returns the results.",
  tags: ["Alerts"],
  request: { query: noQuery },
  responses: {
    200: answer("The result for each destination.", listOf(alertTest)),
    ...problems(),
  },
});

export function registerAlertRoutes(app: OpenAPIHono<RestEnv>): void {
  app.openapi(listRoute, async (c) => {
    const { status, limit, cursor } = c.req.valid("query");
    const filter = status === undefined ? {} : { isActive: status === "active" };
    return c.json(await c.env.store.listAlerts(filter, { limit, cursor: cursor ?? null }), 200);
  });

  app.openapi(testRoute, async (c) => c.json({ data: await testAlerts(c.env) }, 200));
}
