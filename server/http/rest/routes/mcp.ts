import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { scopeOf } from "../../../auth/access/principal.ts";
import { rejectForeignPage } from "../../../auth/authenticate/cross-site.ts";
import { body, bodyProblems, defineRoute, problems } from "../define-route.ts";
import { requireBody } from "../read-json-body.ts";
import { noQuery } from "../request-schemas.ts";
import type { RestEnv } from "../rest-deps.ts";
import { json } from "../schemas.ts";

const mcpRoute = defineRoute({
  method: "post",
  path: "/mcp",
  operationId: "callTools",
  summary: "Call tools over the Model Context Protocol",
  description:
    "The streamable HTTP transport, without sessions. The client sees the tools that its scope allows. Each call of a tool has the access rules, limits and audit entries of the routes that it uses.",
  tags: ["Service"],
  middleware: requireBody,
  request: { query: noQuery, body: body(json, true) },
  responses: {
    200: {
      description: "The JSON-RPC response, as JSON or as an event stream.",
      content: { "application/json": { schema: json }, "text/event-stream": { schema: z.string() } },
    },
    202: { description: "A notification was received. There is no response." },
    ...problems(bodyProblems),
  },
});

export function registerMcpRoute(app: OpenAPIHono<RestEnv>): void {
  app.openapi(mcpRoute, async (c) => {
    const { principal } = c.var;
    const { baseUrl, logger, client } = c.env;
    rejectForeignPage(c.req.raw, new URL(baseUrl()).host);
    const { url, method, headers, signal } = c.req.raw;
    const response = await c.env.answerMcp(new Request(url, { method, headers, signal }), c.req.valid("json"), {
      scope: scopeOf(principal) ?? "read",
      // Already authenticated. Every other rule of the route applies.
      call: async (request) =>
        app.fetch(new Request(request, { signal }), { ...c.env, authenticate: async () => principal }),
      onDefect: (error) => logger.error("tool call failed", { requestId: client.requestId, error }),
    });
    // One response can have two content types.
    return response as never;
  });
}
