import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { deliveryFilterSchema } from "../../../contract/filters.ts";
import { timestampMs } from "../../../contract/list.ts";
import { backtest } from "../../../deliveries/backtest.ts";
import { readWithBodies, toExportLine } from "../../../deliveries/export-deliveries.ts";
import { filterDeliveries } from "../../../deliveries/read-deliveries.ts";
import type { DeliveryFilter } from "../../../ports/store/delivery-store.ts";
import { answer, defineRoute, problems } from "../define-route.ts";
import { moment, queryOf, querySchema } from "../request-schemas.ts";
import type { RestDeps, RestEnv } from "../rest-deps.ts";
import { backtest as backtestSchema } from "../schemas.ts";
import { downloadResponse, freeAfter, takeStreamSlot } from "../streaming-responses.ts";

const exportRoute = defineRoute({
  method: "get",
  path: "/api/v1/deliveries/export",
  operationId: "exportDeliveries",
  summary: "Export deliveries with their bodies",
  description:
    "Exports all deliveries that match the filter, newest first, one per line. `body` is base64, or `null` if the body is not stored. Keys and cookies are redacted, as in every delivery.",
  tags: ["Deliveries"],
  request: { query: querySchema(queryOf(deliveryFilterSchema)) },
  responses: {
    200: {
      description: "The file, streamed.",
      content: { "application/jsonl": { schema: z.string() } },
    },
    ...problems(["rate_limited"]),
  },
});

const backtestRoute = defineRoute({
  method: "get",
  path: "/api/v1/backtest",
  operationId: "backtest",
  summary: "Compare recorded deliveries with a build",
  description:
    "Evaluates the newest 20,000 deliveries of the period at most, for ten seconds at most, with the current build, or with the one in `build`. Returns the triggers that would fire now and did not, and those that fired and would not now. Starts and records nothing.",
  tags: ["Triggers"],
  request: {
    query: querySchema({
      endpoint: z.string().optional().describe("Only deliveries to this endpoint."),
      trigger: z
        .string()
        .optional()
        .describe("Slug: only firings of this trigger, on its endpoint unless `endpoint` is set."),
      build: z
        .string()
        .optional()
        .describe("A build that this machine keeps, e.g. before a rollback. Default: the current build."),
      since: moment.describe("ISO 8601. Default: 7 days ago."),
    }),
  },
  responses: {
    200: answer("The differences.", backtestSchema),
    ...problems(["not_found", "build_unusable", "rate_limited"]),
  },
});

export function registerBacktestRoutes(app: OpenAPIHono<RestEnv>): void {
  app.openapi(exportRoute, async (c) => {
    const { clock, project, stopping, logger } = c.env;
    const filter = filterDeliveries(project.current(), c.req.valid("query"));
    const free = takeStreamSlot(c, "export");
    const time = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(":", "-");
    const response = await downloadResponse({
      pieces: freeAfter(toLines(c.env, filter), free),
      contentType: "application/jsonl",
      fileName: `signalbox-deliveries-${time}Z.jsonl`,
      stopping,
      onError: (error) => logger.warn("delivery export interrupted", { error }),
    });
    // The type of JSON Lines is taken for that of one JSON document.
    return response as never;
  });

  app.openapi(backtestRoute, async (c) => {
    const { since, ...query } = c.req.valid("query");
    return c.json(await backtest(c.env, { ...query, since: timestampMs(since), signal: c.req.raw.signal }), 200);
  });
}

async function* toLines(deps: RestDeps, filter: DeliveryFilter): AsyncGenerator<string> {
  for await (const deliveries of readWithBodies(deps, filter)) yield deliveries.map(toExportLine).join("");
}
