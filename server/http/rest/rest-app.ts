import { OpenAPIHono, z } from "@hono/zod-openapi";
import { type Client, unknownClient } from "../../auth/access/principal.ts";
import type { AppError } from "../../contract/app-error.ts";
import { schemaFailure } from "../../domain/problem.ts";
import { authorize, type RestRoute, toRestRoute, unknownRoute } from "./authorize.ts";
import { answer, defineRoute } from "./define-route.ts";
import { addExamples } from "./examples/add-examples.ts";
import { problemResponse, toAppError } from "../problem-response.ts";
import { readJsonBody } from "./read-json-body.ts";
import type { RestDeps, RestEnv } from "./rest-deps.ts";
import { withoutAnyType } from "./schemas.ts";
import { registerAgentRoutes } from "./routes/agents.ts";
import { registerAlertRoutes } from "./routes/alerts.ts";
import { registerBuildRoutes } from "./routes/builds.ts";
import { registerBacktestRoutes } from "./routes/backtest.ts";
import { registerDeliveryRoutes } from "./routes/deliveries.ts";
import { registerFeedRoute } from "./routes/feed.ts";
import { registerKeyRoutes } from "./routes/keys.ts";
import { registerMcpRoute } from "./routes/mcp.ts";
import { registerPeopleRoutes } from "./routes/people.ts";
import { registerRunActionRoutes } from "./routes/run-actions.ts";
import { registerRunBulkRoutes } from "./routes/run-bulk.ts";
import { registerRunExportRoute } from "./routes/run-export.ts";
import { registerRunRoutes } from "./routes/runs.ts";
import { registerServiceRoutes } from "./routes/service.ts";
import { registerTriggerRoutes } from "./routes/triggers.ts";

/** Handles /api/v1, /healthz, /readyz and /metrics. */
export interface RestApp {
  fetch(request: Request, client?: Client): Promise<Response>;
}

export function createRestApp(deps: RestDeps): RestApp {
  return { fetch: async (request, client = unknownClient) => app.fetch(request, { ...deps, client }) };
}

/** The OpenAPI 3.1 document of the schemas that validate requests. Needs no running service. */
export function openApiDocument(): object {
  return describe(app);
}

/** All routes. The dependencies are parameters of each request. */
const { app, routes } = buildApp();

export const restRoutes: readonly RestRoute[] = routes;

function buildApp(): { app: OpenAPIHono<RestEnv>; routes: RestRoute[] } {
  const routes: RestRoute[] = [];
  const app = new OpenAPIHono<RestEnv>({
    defaultHook: (result) => {
      if (!result.success) throw invalidRequest(result.target, result.error);
    },
  });
  app.onError((error, c) => {
    const expected = toAppError(error, c.env.logger, c.env.client.requestId);
    if (expected.code === "unauthorized") c.env.metrics.observeUnauthenticatedApi();
    return problemResponse(expected);
  });
  app.notFound((c) => problemResponse(unknownRoute(c.req.path)));
  app.use(async (c, next) => {
    await next();
    c.res.headers.set("cache-control", "no-store");
    c.res.headers.set("x-content-type-options", "nosniff");
  });
  app.use(authorize(routes), readJsonBody);
  // These must come before the route of one run, which matches any id.
  registerRunBulkRoutes(app);
  registerRunExportRoute(app);
  registerRunRoutes(app);
  registerAgentRoutes(app);
  registerRunActionRoutes(app);
  registerTriggerRoutes(app);
  registerBacktestRoutes(app);
  registerFeedRoute(app);
  registerDeliveryRoutes(app);
  registerBuildRoutes(app);
  registerKeyRoutes(app);
  registerPeopleRoutes(app);
  registerAlertRoutes(app);
  registerServiceRoutes(app);
  registerMcpRoute(app);
  registerDocument(app);
  routes.push(...listRoutes(app));
  return { app, routes };
}

function listRoutes(app: OpenAPIHono<RestEnv>): RestRoute[] {
  return app.openAPIRegistry.definitions.flatMap((definition) => {
    const route = definition.type === "route" ? toRestRoute(definition.route) : null;
    return route ? [route] : [];
  });
}

function registerDocument(app: OpenAPIHono<RestEnv>): void {
  app.openAPIRegistry.registerComponent("securitySchemes", "bearer", {
    type: "http",
    scheme: "bearer",
    description: "An API token or a webhook key.",
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "apiKey", {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
  });
  const documentRoute = defineRoute({
    method: "get",
    path: "/api/v1/openapi.json",
    operationId: "openapi",
    summary: "Get this document",
    tags: ["Service"],
    security: [],
    responses: { 200: answer("OpenAPI 3.1.", z.looseObject({ openapi: z.string().describe("Version of OpenAPI.") })) },
  });
  // Anonymous clients may read it. Building it takes tens of milliseconds, so it is built and encoded once.
  let bytes: Uint8Array<ArrayBuffer> | null = null;
  app.openapi(documentRoute, (c) => {
    bytes ??= new TextEncoder().encode(JSON.stringify(describe(app)));
    return c.body(bytes, 200, { "content-type": "application/json" }) as never;
  });
}

const openapiVersion = "3.1.0";

function describe(app: OpenAPIHono<RestEnv>) {
  const document = app.getOpenAPI31Document({
    openapi: openapiVersion,
    info: {
      title: "Signalbox",
      version: "1",
      description:
        "The API of a Signalbox service: runs, deliveries, triggers and keys. Send an API token. In development, requests from the same machine need none. A webhook key can only read the runs that it started. Every error is a problem (RFC 9457).",
    },
    servers: [{ url: "/" }],
    security: [{ bearer: [] }, { apiKey: [] }],
  });
  const typed = withoutAnyType(document);
  addExamples(typed);
  return typed;
}

function invalidRequest(target: string, { issues }: z.core.$ZodError): AppError {
  return target === "json"
    ? schemaFailure(issues, {
        code: "invalid_input",
        prefix: "The body does not match the schema of this route: ",
        fallback: "",
      })
    : schemaFailure(issues, { code: "invalid_request", fallback: "A parameter is invalid." });
}
