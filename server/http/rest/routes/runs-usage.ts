import { type OpenAPIHono, createRoute } from "@hono/zod-openapi";
import { sumUsage } from "../../../runs/sum-usage.ts";
import { answer, problems } from "../answers.ts";
import { holdSlot } from "../hold-slot.ts";
import { querySchema, runFilter, toFilter } from "../request-schemas.ts";
import type { RestEnv } from "../rest-deps.ts";
import { runsUsage } from "../schemas.ts";

const usageRoute = createRoute({
  method: "get",
  path: "/api/v1/runs/usage",
  operationId: "sumUsage",
  summary: "Tokens and cost of runs",
  description:
    "What the runs of a filter have used together, and for each agent; runs of workflows are not counted. Only the newest 25,000 in the time are looked at (10,000, or as many as a second and a half allows, with `text`, `delivery`, `replayOf` or `needsApproval`); then `isCapped` is true.",
  tags: ["Runs"],
  request: { query: querySchema(runFilter) },
  middleware: holdSlot("list"),
  responses: { 200: answer("The sums.", runsUsage), ...problems(["rate_limited"]) },
});

export function registerRunsUsageRoute(app: OpenAPIHono<RestEnv>): void {
  app.openapi(usageRoute, async (c) => c.json(await sumUsage(c.env, toFilter(c.req.valid("query"))), 200));
}
