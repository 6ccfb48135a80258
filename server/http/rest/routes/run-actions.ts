import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { auditContextOf } from "../../../auth/access/audit-context.ts";
import { revealRun } from "../../../auth/access/reveal.ts";
import { AppError } from "../../../contract/app-error.ts";
import type { Json } from "../../../contract/json.ts";
import type { Target } from "../../../contract/project/target.ts";
import { toStartedRun } from "../../../domain/runs/start-key.ts";
import { cancelRun } from "../../../runs/act-on-runs.ts";
import { type ReplayChange, replayRun } from "../../../runs/replay-run.ts";
import { resumeRun } from "../../../runs/resume-run.ts";
import { startTargetRun } from "../../../runs/start-run.ts";
import { answer, body, bodyProblems, defineRoute, problems } from "../define-route.ts";
import { requireBody } from "../read-json-body.ts";
import { runParam, noQuery, querySchema, startHeaders, startKey } from "../request-schemas.ts";
import type { RestDeps, RestEnv } from "../rest-deps.ts";
import { json, run, startedRuns, startedResponse } from "../schemas.ts";

const cancelRoute = defineRoute({
  method: "post",
  path: "/api/v1/runs/{id}/cancel",
  operationId: "cancelRun",
  summary: "Cancel a run",
  tags: ["Runs"],
  request: { params: runParam, query: noQuery },
  responses: {
    200: answer(
      "The run. It is `canceled`, or `running` until its worker has stopped it. A failed run that blocked its key stays `failed`.",
      run,
    ),
    ...problems(["not_found", "run_ended"]),
  },
});

const resumeRoute = defineRoute({
  method: "post",
  path: "/api/v1/runs/{id}/resume",
  operationId: "resumeRun",
  summary: "Resume a failed run on the deployed build",
  description:
    "The run continues after its last finished step, with the same id and the same idempotency keys. It gets all attempts of its target again. If its transform had failed, the transform runs again.",
  tags: ["Runs"],
  request: { params: runParam, query: noQuery },
  responses: {
    200: answer("The run. It is `queued`, or a worker has already started it.", run),
    ...problems(["not_found", "not_resumable", "queue_full"]),
  },
});

/** Parsed apart from the schema of the route, so that `{}` and no body mean the same. */
const replayBody = z
  .strictObject({
    payload: json.optional().describe("An edited payload, for `request` and the transform of the trigger."),
    input: json.optional().describe("An edited input, for the target."),
  })
  .openapi("ReplayRequest", {
    description: "An empty object, an edited `payload` for the trigger, or an edited `input` for the target.",
  });

const replayRoute = defineRoute({
  method: "post",
  path: "/api/v1/runs/{id}/replay",
  operationId: "replayRun",
  summary: "Replay a run as a new run",
  description:
    "Uses the same payload with the deployed transform, or the same input if the run had no payload. All steps execute again, with new idempotency keys. To continue a failed run after its finished steps, resume it.",
  tags: ["Runs"],
  request: { params: runParam, query: noQuery, body: body(replayBody, false) },
  responses: {
    202: answer("The new run.", startedRuns),
    ...problems([...bodyProblems, "not_found", "not_replayable", "request_mismatch", "queue_full"]),
  },
});

const revealRoute = defineRoute({
  method: "post",
  path: "/api/v1/runs/{id}/reveal",
  operationId: "revealRun",
  summary: "Reveal the sensitive values of a run",
  description: "The run as it was recorded. The audit log records who revealed it.",
  tags: ["Runs"],
  request: { params: runParam, query: noQuery },
  responses: { 200: answer("The run as recorded.", run), ...problems(["not_found", "rate_limited"]) },
});

const startProblems = [...bodyProblems, "not_found", "idempotency_conflict", "queue_full"] as const;

const startQuery = querySchema({ key: startKey });

const startWorkflowRoute = defineRoute({
  method: "post",
  path: "/api/v1/workflows/{slug}/runs",
  operationId: "startWorkflowRun",
  summary: "Start a workflow with an input",
  tags: ["Runs"],
  middleware: requireBody,
  request: {
    params: z.object({ slug: z.string().describe("Slug of the workflow.") }),
    query: startQuery,
    headers: startHeaders,
    body: body(json, true),
  },
  responses: { 202: answer("The new run.", startedRuns), ...problems(startProblems) },
});

const startAgentRoute = defineRoute({
  method: "post",
  path: "/api/v1/agents/{slug}/runs",
  operationId: "startAgentRun",
  summary: "Start an agent with a prompt",
  description: 'The input is `{ "prompt": "…" }`.',
  tags: ["Runs"],
  middleware: requireBody,
  request: {
    params: z.object({ slug: z.string().describe("Slug of the agent.") }),
    query: startQuery,
    headers: startHeaders,
    body: body(json, true),
  },
  responses: { 202: answer("The new run.", startedRuns), ...problems(startProblems) },
});

export function registerRunActionRoutes(app: OpenAPIHono<RestEnv>): void {
  app.openapi(cancelRoute, async (c) => c.json(await cancelRun(c.env, c.req.valid("param").id), 200));

  app.openapi(resumeRoute, async (c) => c.json(await resumeRun(c.env, c.req.valid("param").id), 200));

  app.openapi(revealRoute, async (c) => {
    const auditContext = auditContextOf(c.var.principal, c.env.client.address);
    return c.json(await revealRun(c.env, c.req.valid("param").id, auditContext), 200);
  });

  app.openapi(replayRoute, async (c) => {
    const change = toReplayChange(c.req.valid("json"));
    const replayed = await replayRun(c.env, { id: c.req.valid("param").id, change });
    const { response, headers } = startedResponse({ runs: [toStartedRun(replayed)], isRepeat: false });
    return c.json(response, 202, headers);
  });

  app.openapi(startWorkflowRoute, async (c) => {
    const { response, headers } = await startTarget(
      c.env,
      { kind: "workflow", ...c.req.valid("param") },
      {
        input: c.req.valid("json"),
        ...c.req.valid("query"),
        headers: c.req.valid("header"),
      },
    );
    return c.json(response, 202, headers);
  });

  app.openapi(startAgentRoute, async (c) => {
    const { response, headers } = await startTarget(
      c.env,
      { kind: "agent", ...c.req.valid("param") },
      {
        input: c.req.valid("json"),
        ...c.req.valid("query"),
        headers: c.req.valid("header"),
      },
    );
    return c.json(response, 202, headers);
  });
}

async function startTarget(
  deps: RestDeps,
  target: Target,
  { input, key, headers }: { input: Json; key?: string | undefined; headers: z.output<typeof startHeaders> },
) {
  const startedBy = headers["signalbox-client"] ?? "api";
  return startedResponse(
    await startTargetRun(deps, { target, input, startedBy, key, idempotencyKey: headers["idempotency-key"] }),
  );
}

function toReplayChange(change: { payload?: Json | undefined; input?: Json | undefined }): ReplayChange {
  const { payload, input } = change;
  if (payload !== undefined && input !== undefined)
    throw new AppError("invalid_input", 'Send "payload" or "input", not both.');
  if (payload !== undefined) return { payload };
  return input === undefined ? null : { input };
}
