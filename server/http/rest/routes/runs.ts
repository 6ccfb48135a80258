import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { visibleToKey } from "../../../auth/access/principal.ts";
import { pageSchema, searchPageSchema } from "../../../contract/list.ts";
import type { TimelineEntry } from "../../../contract/timeline.ts";
import { findRun } from "../../../runs/read-runs.ts";
import { getRun } from "../../../runs/read-runs.ts";
import { isEnded } from "../../../shared/runs/run-state.ts";
import { listRuns } from "../../../runs/read-runs.ts";
import { listSteps } from "../../../runs/run-steps.ts";
import { listTimeline } from "../../../runs/run-timeline.ts";
import { streamRunEvents } from "../../../runs/run-timeline.ts";
import { sumUsage } from "../../../runs/filtered-runs.ts";
import { simulateFlow } from "../../../runs/simulate-flow.ts";
import { flowSimulationOptionsSchema } from "../../../contract/flow-simulation.ts";
import { answer, defineRoute, problems } from "../define-route.ts";
import { runFilterSchema, slowUsageFields } from "../../../contract/filters.ts";
import { toStoreFilter } from "../../../domain/store-filter.ts";
import { numberText, runParam, noQuery, paging, queryOf, querySchema, timelinePaging } from "../request-schemas.ts";
import type { RestEnv } from "../rest-deps.ts";
import { flowSimulation, run, runStep, runSummary, runsUsage, timelineEntry } from "../schemas.ts";
import { freeAfter, type SseEvent, sseResponse, takeStreamSlot } from "../streaming-responses.ts";

const orOf = (names: readonly string[]) =>
  new Intl.ListFormat("en-GB", { type: "disjunction" }).format(names.map((name) => `\`${name}\``));

const listRoute = defineRoute({
  method: "get",
  path: "/api/v1/runs",
  operationId: "listRuns",
  summary: "List runs, newest first",
  tags: ["Runs"],
  request: {
    query: querySchema({ ...queryOf(runFilterSchema), ...paging }),
  },
  responses: {
    200: answer("One page. A webhook key gets only the runs that it started.", searchPageSchema(runSummary)),
    ...problems(["rate_limited"]),
  },
});

const usageRoute = defineRoute({
  method: "get",
  path: "/api/v1/runs/usage",
  operationId: "sumUsage",
  summary: "Get the tokens and cost of runs",
  description: `The total of all runs that match the filter, and the total of each agent. Runs of workflows are not counted. Only the newest 25,000 runs in the time range are counted. With ${orOf(slowUsageFields)} the limit is 10,000 runs, or as many as 1.5 seconds allow. If the limit is reached, \`isCapped\` is true.`,
  tags: ["Runs"],
  request: { query: querySchema(queryOf(runFilterSchema)) },
  responses: { 200: answer("The totals.", runsUsage), ...problems(["rate_limited"]) },
});

const simulationRoute = defineRoute({
  method: "get",
  path: "/api/v1/flow/simulation",
  operationId: "simulateFlow",
  summary: "Try limits on recorded runs",
  description:
    "Each recorded run arrives when it did, and takes as long as it did, with its sleeps. Nothing is executed or changed. The newest 100,000 runs of the period are used.",
  tags: ["Runs"],
  request: {
    query: querySchema({
      target: z.string().min(1).describe("Slug of the workflow or agent."),
      ...queryOf(flowSimulationOptionsSchema),
    }),
  },
  responses: {
    200: answer("The waits that these limits would cause.", flowSimulation),
    ...problems(["not_found", "rate_limited"]),
  },
});

const getRoute = defineRoute({
  method: "get",
  path: "/api/v1/runs/{id}",
  operationId: "getRun",
  summary: "Get a run",
  tags: ["Runs"],
  request: {
    params: runParam,
    query: querySchema({
      wait: numberText(z.int().min(0).max(60))
        .default(0)
        .describe("Maximum time in seconds to wait for the run to end."),
    }),
  },
  responses: {
    200: answer("The run, after it has ended or after the waiting time.", run),
    ...problems(["not_found", "rate_limited"]),
  },
});

const timelineRoute = defineRoute({
  method: "get",
  path: "/api/v1/runs/{id}/timeline",
  operationId: "listTimeline",
  summary: "List the timeline of a run, oldest first",
  tags: ["Runs"],
  request: { params: runParam, query: querySchema(timelinePaging) },
  responses: { 200: answer("One page.", pageSchema(timelineEntry)), ...problems(["not_found", "rate_limited"]) },
});

const stepsRoute = defineRoute({
  method: "get",
  path: "/api/v1/runs/{id}/steps",
  operationId: "listSteps",
  summary: "List the steps of a run with their results, in the order of their starts",
  description:
    "The result of a step is the JSON that its function returned. A page ends early if its results have more than 4 MB together.",
  tags: ["Runs"],
  request: {
    params: runParam,
    query: querySchema({
      name: z
        .string()
        .min(1)
        .optional()
        .describe("Only the step, sleep, wait or approval with this name in the timeline."),
      ...timelinePaging,
    }),
  },
  responses: { 200: answer("One page.", pageSchema(runStep)), ...problems(["not_found", "rate_limited"]) },
});

const eventsRoute = defineRoute({
  method: "get",
  path: "/api/v1/runs/{id}/events",
  operationId: "streamRunEvents",
  summary: "Stream the timeline of a run",
  description:
    "Server-sent events: `id` is the id of the timeline entry, `event` its kind, `data` the entry as JSON. After the entry that ends the run, one event `end` follows and the stream closes. A client that reconnects with `Last-Event-ID` gets the entries that it has not received.",
  tags: ["Runs"],
  request: {
    params: runParam,
    query: noQuery,
    headers: z.object({
      "last-event-id": z
        .string()
        .regex(/^\d{0,15}$/, "Invalid id for this stream")
        .optional()
        .describe("Id of the last event that the client received."),
    }),
  },
  responses: {
    200: { description: "The stream.", content: { "text/event-stream": { schema: z.string() } } },
    ...problems(["not_found", "rate_limited"]),
  },
});

export function registerRunRoutes(app: OpenAPIHono<RestEnv>): void {
  // This must come before the route of one run, which matches any id.
  app.openapi(usageRoute, async (c) => c.json(await sumUsage(c.env, toStoreFilter(c.req.valid("query"))), 200));

  app.openapi(simulationRoute, async (c) => c.json(await simulateFlow(c.env, c.req.valid("query")), 200));

  app.openapi(listRoute, async (c) => {
    const { limit, cursor, ...query } = c.req.valid("query");
    const filter = toStoreFilter({ ...query, keyId: visibleToKey(c.var.principal) });
    return c.json(
      await listRuns(c.env, { filter, page: { limit, cursor: cursor ?? null, signal: c.req.raw.signal } }),
      200,
    );
  });

  app.openapi(getRoute, async (c) => {
    const { id } = c.req.valid("param");
    const waitMs = c.req.valid("query").wait * 1000;
    const signal = AbortSignal.any([c.req.raw.signal, c.env.stopping]);
    const free = waitMs > 0 ? c.env.takeSlot("wait", c.var.principal) : () => {};
    return c.json(await getRun(c.env, { id, keyId: visibleToKey(c.var.principal), waitMs, signal }).finally(free), 200);
  });

  app.openapi(timelineRoute, async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const { id: runId } = c.req.valid("param");
    return c.json(
      await listTimeline(c.env, { runId, keyId: visibleToKey(c.var.principal), after: Number(cursor ?? 0), limit }),
      200,
    );
  });

  app.openapi(stepsRoute, async (c) => {
    const { name, limit, cursor } = c.req.valid("query");
    const { id: runId } = c.req.valid("param");
    return c.json(await listSteps(c.env, { runId, name, after: Number(cursor ?? 0), limit }), 200);
  });

  app.openapi(eventsRoute, async (c) => {
    const { id: runId } = c.req.valid("param");
    const after = Number(c.req.valid("header")["last-event-id"] ?? 0);
    const { store, stopping, logger } = c.env;
    await findRun(c.env, { id: runId, keyId: visibleToKey(c.var.principal) });
    const free = takeStreamSlot(c, "wait");
    return sseResponse({
      open: (disconnected) => {
        const signal = AbortSignal.any([disconnected, c.req.raw.signal]);
        return freeAfter(toEvents(streamRunEvents({ store }, { runId, after, signal }), signal), free);
      },
      stopping,
      onError: (error) => logger.warn("stream of run events interrupted", { runId, error }),
    });
  });
}

async function* toEvents(entries: AsyncIterable<TimelineEntry>, signal: AbortSignal): AsyncGenerator<SseEvent> {
  let last: TimelineEntry | null = null;
  for await (const entry of entries) {
    last = entry;
    yield { id: String(entry.id), event: entry.kind, data: entry };
  }
  // A stream without `end` was interrupted, and the client reconnects. Without any entry, the client already has all of
  // them, or the stream was stopped.
  if (last === null ? !signal.aborted : isEnded(last.kind)) yield { id: null, event: "end", data: {} };
}
