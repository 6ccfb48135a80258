import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { checkOpenRuns } from "../../../runs/builds/check-open-runs.ts";
import { listBuilds, rollBack } from "../../../runs/builds/builds.ts";
import { answer, body, bodyProblems, defineRoute, problems } from "../define-route.ts";
import { requireBody } from "../read-json-body.ts";
import { noQuery } from "../request-schemas.ts";
import type { RestEnv } from "../rest-deps.ts";
import { build, buildList, buildOutline, openRunCheck } from "../schemas.ts";

const listRoute = defineRoute({
  method: "get",
  path: "/api/v1/builds",
  operationId: "listBuilds",
  summary: "List the builds of this machine",
  description:
    "Newest first, with their open runs. Builds of open runs that this machine does not keep are at the end, with `builtAt: null`.",
  tags: ["Builds"],
  request: { query: noQuery },
  responses: { 200: answer("All builds.", buildList), ...problems() },
});

const rollbackRoute = defineRoute({
  method: "post",
  path: "/api/v1/builds/{id}/rollback",
  operationId: "rollBack",
  summary: "Make another build current",
  description:
    "This machine loads the build at once, without a restart. New runs start with it; open runs continue on the builds that accepted them.",
  tags: ["Builds"],
  request: { params: z.object({ id: z.string().describe("Id of the build.") }), query: noQuery },
  responses: { 200: answer("The current build.", build), ...problems(["not_found", "build_unusable"]) },
});

const checkRoute = defineRoute({
  method: "post",
  path: "/api/v1/builds/check",
  operationId: "checkOpenRuns",
  summary: "Compare the open runs with a new build",
  description:
    "Finds open runs that do not fit a build: their workflow or agent is missing, its input schema rejects their input (if this service has the build), or a step of theirs was removed. Changes nothing. Checks the oldest 10,000 open runs, and lists at most 20.",
  tags: ["Builds"],
  middleware: requireBody,
  request: { query: noQuery, body: body(buildOutline, true) },
  responses: { 200: answer("The result.", openRunCheck), ...problems(bodyProblems) },
});

export function registerBuildRoutes(app: OpenAPIHono<RestEnv>): void {
  app.openapi(listRoute, async (c) => c.json(await listBuilds(c.env), 200));
  app.openapi(checkRoute, async (c) => c.json(await checkOpenRuns(c.env, c.req.valid("json")), 200));
  app.openapi(rollbackRoute, async (c) => c.json(await rollBack(c.env, c.req.valid("param").id), 200));
}
