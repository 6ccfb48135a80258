import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { runActionSchema } from "../../../contract/run-bulk.ts";
import { runFilterSchema } from "../../../contract/filters.ts";
import { toStoreFilter } from "../../../domain/store-filter.ts";
import { timestampMs } from "../../../contract/list.ts";
import { actOnFilteredRuns } from "../../../runs/act-on-runs.ts";
import { countRuns } from "../../../runs/filtered-runs.ts";
import { answer, body, bodyProblems, defineRoute, problems } from "../define-route.ts";
import { requireBody } from "../read-json-body.ts";
import { moment, noQuery, queryOf, querySchema } from "../request-schemas.ts";
import type { RestEnv } from "../rest-deps.ts";
import { bulkPage, runFilterBody } from "../schemas.ts";

const countRoute = defineRoute({
  method: "get",
  path: "/api/v1/runs/count",
  operationId: "countRuns",
  summary: "Count runs",
  description: "At most 10,000, or as many as 1.5 seconds allow. If there are more, `isCapped` is true.",
  tags: ["Runs"],
  request: { query: querySchema(queryOf(runFilterSchema)) },
  responses: {
    200: answer(
      "The number of runs.",
      z
        .object({
          count: z.int().describe("Number of runs, at most 10,000."),
          isCapped: z.boolean().describe("There are more than were counted."),
        })
        .openapi("RunCount"),
    ),
    ...problems(["rate_limited"]),
  },
});

const bulkBody = z
  .strictObject({
    action: runActionSchema.describe("What to do with the runs."),
    filter: runFilterBody,
    until: moment.describe(
      "Later runs are left alone, and so are runs that failed later. Send the value of the first response in all further calls. Default: now.",
    ),
    cursor: z.string().max(512).nullable().default(null).describe("`nextCursor` of the previous call. Opaque."),
    limit: z.int().min(1).max(50).default(50).describe("Maximum number of runs of this call."),
    dryRun: z.boolean().default(false).describe("Change nothing, and return what would be done."),
  })
  .openapi("BulkRequest");

const bulkRoute = defineRoute({
  method: "post",
  path: "/api/v1/runs/bulk",
  operationId: "actOnFilteredRuns",
  summary: "Cancel, resume or replay the runs of a filter",
  description:
    "Acts on the next runs of the filter, newest first. Call it again with `until` and `cursor` until `nextCursor` is `null`. It is safe to stop at any time, to start again, and to run several times at once. Only unresolved runs are resumed: they failed or timed out, and have no replay. A run that has a replay or has not ended is not replayed, and a replay is replayed only if it failed.",
  tags: ["Runs"],
  middleware: requireBody,
  request: { query: noQuery, body: body(bulkBody, true) },
  responses: { 200: answer("The result of this call.", bulkPage), ...problems(bodyProblems) },
});

export function registerRunBulkRoutes(app: OpenAPIHono<RestEnv>): void {
  app.openapi(countRoute, async (c) => c.json(await countRuns(c.env, toStoreFilter(c.req.valid("query"))), 200));

  app.openapi(bulkRoute, async (c) => {
    const { filter, until, dryRun, ...request } = c.req.valid("json");
    const acted = await actOnFilteredRuns(c.env, {
      ...request,
      filter: toStoreFilter(filter),
      until: timestampMs(until) ?? null,
      isDryRun: dryRun,
    });
    const detail = { done: acted.done, runs: acted.runs.map(({ id }) => id) };
    if (!dryRun) c.set("audited", { choice: request.action, detail });
    return c.json(acted, 200);
  });
}
