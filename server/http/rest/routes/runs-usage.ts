import { type OpenAPIHono, createRoute } from "@hono/zod-openapi";
import { sumUsage } from "../../../runs/filtered-runs.ts";
import { answer, problems } from "../answers.ts";
import { holdSlot } from "../hold-slot.ts";
import { querySchema, runFilter, toFilter } from "../request-schemas.ts";
import type { RestEnv } from "../rest-deps.ts";
import { runsUsage } from "../schemas.ts";

const usageRoute = createRoute({
  method: "get",
  path: "/api/v1/runs/usage",
  operationId: "sumUsage",
  summary: "Get the tokens and cost of runs",
  description:
    "The total of all runs that match the filter, and the total of each agent. Runs of workflows are not counted. Only the newest 25,000 runs in the time range are counted. With `text`, `delivery`, `replayOf` or `needsApproval` the limit is 10,000 runs, or as many as 1.5 seconds allow. If the limit is reached, `isCapped` is true.",
  tags: ["Runs"],
  request: { query: querySchema(runFilter) },
  middleware: holdSlot("list"),
  responses: { 200: answer("The totals.", runsUsage), ...problems(["rate_limited"]) },
});

export function registerRunsUsageRoute(app: OpenAPIHono<RestEnv>): void {
  app.openapi(usageRoute, async (c) => c.json(await sumUsage(c.env, toFilter(c.req.valid("query"))), 200));
}
