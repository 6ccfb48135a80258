import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { auditContextOf } from "../../../auth/access/audit-context.ts";
import { findShowableKey, recordKeyShown } from "../../../auth/keys/show-key.ts";
import { readDrift } from "../../../triggers/contract-drift.ts";
import { givenQuerySchema } from "../../../contract/delivery.ts";
import { explainBody } from "../../../triggers/explain-body.ts";
import { inferTrigger } from "../../../triggers/infer-trigger.ts";
import { listTriggers } from "../../../triggers/read-triggers.ts";
import { disableTrigger, enableTrigger } from "../../../triggers/switch-trigger.ts";
import { startTriggerRuns } from "../../../triggers/start-trigger-runs.ts";
import { triggerUrl } from "../../../triggers/find-triggers.ts";
import { answer, body, bodyProblems, defineRoute, problems } from "../define-route.ts";
import { requireBody } from "../read-json-body.ts";
import { switchReason } from "../../../contract/disabled.ts";
import { timestampMs } from "../../../contract/list.ts";
import { moment, noQuery, querySchema, startHeaders, startKey } from "../request-schemas.ts";
import type { RestEnv } from "../rest-deps.ts";
import {
  driftReport,
  inferredTrigger,
  json,
  listOf,
  skipped,
  startedResponse,
  startedRuns,
  switchedTrigger,
  trigger,
  triggerUrl as triggerUrlSchema,
  verdict,
} from "../schemas.ts";

const triggerParam = z.object({ slug: z.string().describe("Slug of the trigger.") });

const listRoute = defineRoute({
  method: "get",
  path: "/api/v1/triggers",
  operationId: "listTriggers",
  summary: "List the triggers of the deployed project",
  tags: ["Triggers"],
  request: { query: querySchema({ endpoint: z.string().optional().describe("Only this endpoint.") }) },
  responses: {
    200: answer("All triggers, in the order of their attachment ids.", listOf(trigger)),
    ...problems(),
  },
});

const startRoute = defineRoute({
  method: "post",
  path: "/api/v1/triggers/{slug}/runs",
  operationId: "startTriggerRuns",
  summary: "Start the targets of a trigger with a payload",
  description:
    "Evaluates `request`, `filter` and `transform` for the payload, as for the body of a webhook. Other triggers on the endpoint are not evaluated, and no delivery is recorded.",
  tags: ["Triggers"],
  middleware: requireBody,
  request: {
    params: triggerParam,
    query: querySchema({
      target: z
        .string()
        .optional()
        .describe("Slug of the one workflow or agent to start. Default: every target of the trigger."),
      key: startKey.describe("The key of the runs. Default: that of the trigger, from the payload."),
    }),
    headers: startHeaders,
    body: body(json, true),
  },
  responses: {
    200: answer("The filter does not match, or the trigger is disabled: no run was started.", skipped),
    202: answer("One run for each target of the trigger.", startedRuns),
    ...problems([...bodyProblems, "not_found", "request_mismatch", "idempotency_conflict", "queue_full"]),
  },
});

const disableRoute = defineRoute({
  method: "post",
  path: "/api/v1/triggers/{slug}/disable",
  operationId: "disableTrigger",
  summary: "Disable a trigger",
  description:
    "From the next request on, the trigger starts no runs, except replays of its runs. Its verdicts are `disabled`. It stays disabled across builds and restarts.",
  tags: ["Triggers"],
  request: {
    params: triggerParam,
    query: noQuery,
    body: body(
      z
        .strictObject({ reason: switchReason.optional().describe("Why, for other people. Default: none.") })
        .openapi("DisableRequest"),
      false,
    ),
  },
  responses: { 200: answer("The updated trigger.", switchedTrigger), ...problems([...bodyProblems, "not_found"]) },
});

const enableRoute = defineRoute({
  method: "post",
  path: "/api/v1/triggers/{slug}/enable",
  operationId: "enableTrigger",
  summary: "Enable a trigger",
  tags: ["Triggers"],
  request: { params: triggerParam, query: noQuery },
  responses: { 200: answer("The updated trigger.", switchedTrigger), ...problems(["not_found"]) },
});

const givenHeaders = z
  .record(z.string(), z.union([z.string(), z.array(z.string()).min(1)]))
  .describe(
    "The headers of the request, for triggers with a `headers` schema. A repeated header has an array of values. Default: none.",
  );

const verdictsRoute = defineRoute({
  method: "post",
  path: "/api/v1/verdicts",
  operationId: "explainBody",
  summary: "Evaluate a body without starting runs",
  description: "Starts no runs and records no delivery.",
  tags: ["Triggers"],
  middleware: requireBody,
  request: {
    query: noQuery,
    body: body(
      z
        .strictObject({
          endpoint: z.string().optional().describe("Evaluate all triggers on this endpoint."),
          trigger: z.string().optional().describe("Evaluate the trigger with this slug."),
          headers: givenHeaders.optional(),
          query: givenQuerySchema
            .optional()
            .describe("Query of the request, percent-encoded as in a URL: `topic=refunds&shop=berlin`. Default: none."),
          body: json.describe("The body to evaluate."),
        })
        .openapi("VerdictsRequest", { description: "Exactly one of `endpoint` and `trigger` (a slug)." }),
      true,
    ),
  },
  responses: {
    200: answer("One verdict for each trigger.", listOf(verdict)),
    ...problems([...bodyProblems, "not_found", "unknown_endpoint"]),
  },
});

const inferRoute = defineRoute({
  method: "get",
  path: "/api/v1/inferred-trigger",
  operationId: "inferTrigger",
  summary: "Write a trigger from recorded deliveries",
  description:
    "Infers the schema of an endpoint from the newest 2,000 deliveries of senders at most, and returns the TypeScript of a trigger. Changes nothing. Redacted values never appear in the code.",
  tags: ["Triggers"],
  request: {
    query: querySchema({
      endpoint: z.string().describe("Only this endpoint."),
      since: moment,
      only: z.string().optional().describe("Only deliveries of this kind, one of `kinds`."),
      delivery: z
        .string()
        .optional()
        .describe("Id of a delivery: only deliveries of the same kind. Takes precedence over `only`."),
      file: z
        .string()
        .max(512)
        .optional()
        .describe("File of the trigger in the project. Default: `triggers/<slug>.ts`."),
    }),
  },
  responses: {
    200: answer("The trigger, and a workflow for it.", inferredTrigger),
    ...problems(["nothing_recorded", "rate_limited"]),
  },
});

const driftRoute = defineRoute({
  method: "get",
  path: "/api/v1/drift",
  operationId: "readDrift",
  summary: "List payload changes",
  description:
    "Compares the deliveries of each endpoint and kind of event with the earlier ones: bodies that a trigger does not match any more, new types, new and missing fields, and new values of enums. A change needs at least 20 deliveries before it.",
  tags: ["Triggers"],
  request: {
    query: querySchema({
      endpoint: z.string().optional().describe("Default: every endpoint of the project."),
      since: moment.describe("Only changes from this time on. Default: the last 7 days."),
    }),
  },
  responses: {
    200: answer("The changes, for each endpoint the most serious first.", driftReport),
    ...problems(["rate_limited"]),
  },
});

const urlRoute = defineRoute({
  method: "get",
  path: "/api/v1/url",
  operationId: "triggerUrl",
  summary: "Get the webhook URL of a trigger or endpoint",
  tags: ["Triggers"],
  request: { query: querySchema({ for: z.string().describe("Slug of a trigger, or an endpoint.") }) },
  responses: {
    200: answer("The full URL. On a deployed service, it contains the newest valid key.", triggerUrlSchema),
    ...problems(["not_found"]),
  },
});

export function registerTriggerRoutes(app: OpenAPIHono<RestEnv>): void {
  app.openapi(listRoute, async (c) => c.json({ data: await listTriggers(c.env, c.req.valid("query")) }, 200));

  app.openapi(startRoute, async (c) => {
    const sent = c.req.valid("header");
    const started = await startTriggerRuns(c.env, {
      slug: c.req.valid("param").slug,
      ...c.req.valid("query"),
      body: c.req.valid("json"),
      startedBy: sent["signalbox-client"] ?? "api",
      idempotencyKey: sent["idempotency-key"],
    });
    if (started.runs.length === 0) return c.json({ ok: true as const, skipped: true as const }, 200);
    const { response, headers } = startedResponse(started);
    return c.json(response, 202, headers);
  });

  app.openapi(disableRoute, async (c) =>
    c.json(
      await disableTrigger(c.env, { slug: c.req.valid("param").slug, reason: c.req.valid("json").reason ?? null }),
      200,
    ),
  );

  app.openapi(enableRoute, async (c) => c.json(await enableTrigger(c.env, c.req.valid("param").slug), 200));

  app.openapi(verdictsRoute, async (c) => c.json({ data: await explainBody(c.env, c.req.valid("json")) }, 200));

  app.openapi(inferRoute, async (c) => {
    const { since, ...query } = c.req.valid("query");
    return c.json(await inferTrigger(c.env, { ...query, since: timestampMs(since), signal: c.req.raw.signal }), 200);
  });

  app.openapi(driftRoute, async (c) => {
    const { since, endpoint } = c.req.valid("query");
    return c.json(await readDrift(c.env, { endpoint, since: timestampMs(since), signal: c.req.raw.signal }), 200);
  });

  app.openapi(urlRoute, async (c) => {
    const deps = c.env;
    const url = await triggerUrl(
      { ...deps, findShowableKey: (endpoint) => findShowableKey(deps, endpoint) },
      c.req.valid("query").for,
    );
    if (url.keyId !== null)
      await recordKeyShown(
        deps,
        { keyId: url.keyId, endpoint: url.endpoint },
        auditContextOf(c.var.principal, deps.client.address),
      );
    return c.json(url, 200);
  });
}
