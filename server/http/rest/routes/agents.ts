import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { auditContextOf } from "../../../auth/access/audit-context.ts";
import { decideApproval } from "../../../runs/agent-runs.ts";
import { getAgentTrace } from "../../../runs/agent-runs.ts";
import { answer, body, bodyProblems, defineRoute, problems } from "../define-route.ts";
import { requireBody } from "../read-json-body.ts";
import { runParam, noQuery } from "../request-schemas.ts";
import type { RestEnv } from "../rest-deps.ts";
import { agentTrace, run } from "../schemas.ts";

const traceRoute = defineRoute({
  method: "get",
  path: "/api/v1/runs/{id}/agent",
  operationId: "getAgentTrace",
  summary: "Get the agent trace of a run: prompt, answers, tool calls, approvals, tokens and cost",
  tags: ["Runs"],
  request: { params: runParam, query: noQuery },
  responses: {
    200: answer("The trace so far; empty for a run of a workflow.", agentTrace),
    ...problems(["not_found", "rate_limited"]),
  },
});

const decision = z
  .strictObject({
    name: z
      .string()
      .max(200)
      .describe("Name of the approval in the timeline and the agent trace, e.g. `approval 1.1 refund`."),
    isApproved: z.boolean().describe("`true` approves the tool call, `false` denies it."),
    reason: z
      .string()
      .trim()
      .min(1)
      .max(2_000)
      .nullable()
      .default(null)
      .describe("The reason for a denial. The model receives it."),
  })
  .openapi("ApprovalDecision");

const decideRoute = defineRoute({
  method: "post",
  path: "/api/v1/runs/{id}/approvals",
  operationId: "decideApproval",
  summary: "Approve or deny a pending tool call",
  tags: ["Runs"],
  middleware: requireBody,
  request: { params: runParam, query: noQuery, body: body(decision, true) },
  responses: {
    200: answer("The run. It continues when no other decision is pending.", run),
    ...problems([...bodyProblems, "not_found", "approval_closed"]),
  },
});

export function registerAgentRoutes(app: OpenAPIHono<RestEnv>): void {
  app.openapi(traceRoute, async (c) => c.json(await getAgentTrace(c.env, c.req.valid("param").id), 200));

  app.openapi(decideRoute, async (c) => {
    const { actor } = auditContextOf(c.get("principal"), c.env.client.address);
    return c.json(await decideApproval(c.env, { id: c.req.valid("param").id, ...c.req.valid("json"), actor }), 200);
  });
}
