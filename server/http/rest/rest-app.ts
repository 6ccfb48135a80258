import { OpenAPIHono, createRoute, z } from "@hono/zod-openapi";
import { type Client, unknownClient } from "../../auth/access/principal.ts";
import { AppError } from "../../contract/app-error.ts";
import type { ProblemError } from "../../contract/problem.ts";
import { toPointer } from "../../domain/json/json-pointer.ts";
import { admit, noSuchRoute } from "./admit.ts";
import { answer } from "./answers.ts";
import { problemResponse, toAppError } from "./problem-response.ts";
import { readJsonBody } from "./read-json-body.ts";
import type { RestDeps, RestEnv } from "./rest-deps.ts";
import { registerAgentRoutes } from "./routes/agents.ts";
import { registerDeliveryRoutes } from "./routes/deliveries.ts";
import { registerKeyRoutes } from "./routes/keys.ts";
import { registerPeopleRoutes } from "./routes/people.ts";
import { registerRunActionRoutes } from "./routes/run-actions.ts";
import { registerRunExportRoute } from "./routes/run-export.ts";
import { registerRunsUsageRoute } from "./routes/runs-usage.ts";
import { registerRunRoutes } from "./routes/runs.ts";
import { registerServiceRoutes } from "./routes/service.ts";
import { registerTriggerRoutes } from "./routes/triggers.ts";

/** Everything behind /api/v1, /healthz, /readyz and /metrics. */
export interface RestApp {
  fetch(request: Request, client?: Client): Promise<Response>;
}

export function createRestApp(deps: RestDeps): RestApp {
  const app = buildApp();
  return { fetch: async (request, client = unknownClient) => app.fetch(request, { ...deps, client }) };
}

/** The OpenAPI 3.1 document: made from the schemas that validate requests, so it needs no running service. */
export function openApiDocument(): object {
  return describe(buildApp());
}

function buildApp(): OpenAPIHono<RestEnv> {
  const app = new OpenAPIHono<RestEnv>({
    defaultHook: (result) => {
      if (!result.success) throw toRefusal(result.target, result.error);
    },
  });
  app.onError((error, c) => {
    const expected = toAppError(error, c.env.logger, c.env.client.requestId);
    if (expected.code === "unauthorized") c.env.metrics.observeUnauthenticatedApi();
    return problemResponse(expected);
  });
  app.notFound((c) => problemResponse(noSuchRoute(c.req.path)));
  app.use(async (c, next) => {
    await next();
    c.res.headers.set("cache-control", "no-store");
    c.res.headers.set("x-content-type-options", "nosniff");
  });
  app.use(admit, readJsonBody);
  // Before the route of one run, whose id could be any word.
  registerRunExportRoute(app);
  registerRunsUsageRoute(app);
  registerRunRoutes(app);
  registerAgentRoutes(app);
  registerRunActionRoutes(app);
  registerTriggerRoutes(app);
  registerDeliveryRoutes(app);
  registerKeyRoutes(app);
  registerPeopleRoutes(app);
  registerServiceRoutes(app);
  registerDocument(app);
  return app;
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
  const documentRoute = createRoute({
    method: "get",
    path: "/api/v1/openapi.json",
    operationId: "openapi",
    summary: "Get this document",
    tags: ["Service"],
    security: [],
    responses: { 200: answer("OpenAPI 3.1.", z.looseObject({ openapi: z.string() })) },
  });
  // Anonymous clients may read it. Building it takes tens of milliseconds, so it is built once.
  let text: string | null = null;
  app.openapi(documentRoute, (c) => {
    text ??= JSON.stringify(describe(app));
    return c.body(text, 200, { "content-type": "application/json" }) as never;
  });
}

const openapiVersion = "3.1.0";

function describe(app: OpenAPIHono<RestEnv>) {
  return app.getOpenAPI31Document({
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
}

function toRefusal(target: string, error: z.core.$ZodError): AppError {
  const errors = error.issues.map((issue): ProblemError => ({
    pointer: toPointer(issue.path),
    code: issue.code,
    message: issue.message,
  }));
  const first = errors[0];
  const where = first?.pointer ? `${first.pointer.slice(1)}: ` : "";
  if (target === "json")
    return new AppError(
      "invalid_input",
      `The body does not match the schema of this route: ${where}${first?.message ?? ""}`,
      {
        errors,
      },
    );
  return new AppError("invalid_request", `${where}${first?.message ?? "A parameter is invalid."}`, { errors });
}
