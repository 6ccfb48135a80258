import { type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  createKey,
  defaultOverlapMs,
  maxOverlapSeconds,
  revokeKey,
  rotateKey,
} from "../../../auth/keys/manage-keys.ts";
import { auditContextOf } from "../../../auth/access/audit-context.ts";
import { AppError } from "../../../contract/app-error.ts";
import { keyKindSchema, scopeSchema } from "../../../contract/access/key.ts";
import type { Scope } from "../../../contract/access/scope.ts";
import { endpointSchema } from "../../../contract/project/endpoint.ts";
import { answer, body, bodyProblems, defineRoute, problems } from "../define-route.ts";
import { requireBody } from "../read-json-body.ts";
import { noQuery } from "../request-schemas.ts";
import type { RestEnv } from "../rest-deps.ts";
import { createdKey, key, listOf } from "../schemas.ts";

const keyParam = z.object({ id: z.string().describe("Id of the key, `key_…`.") });

const listRoute = defineRoute({
  method: "get",
  path: "/api/v1/keys",
  operationId: "listKeys",
  summary: "List webhook keys and API tokens",
  tags: ["Keys"],
  request: { query: noQuery },
  responses: {
    200: answer("All keys, including revoked ones, without their secrets.", listOf(key)),
    ...problems(),
  },
});

const createKeyBody = z
  .strictObject({
    kind: keyKindSchema.describe("A webhook key or an API token."),
    name: z.string().trim().min(1).max(100).describe("A name for people."),
    endpoints: z
      .array(endpointSchema)
      .min(1)
      .max(100)
      .nullable()
      .default(null)
      .describe("The endpoints that a webhook key may send to. `null`: all endpoints."),
    scope: scopeSchema
      .nullable()
      .default(null)
      .describe(
        "Scope of an API token: `feed` (follows the deliveries), `read`, `operate` (also starts, cancels, resumes and replays runs) or `admin` (also manages keys and people). Default: `admin`.",
      ),
    expiresAt: z.iso.datetime({ offset: true }).nullable().default(null).describe("When it expires. Default: never."),
  })
  .openapi("CreateKeyRequest");

const createKeyRoute = defineRoute({
  method: "post",
  path: "/api/v1/keys",
  operationId: "createKey",
  summary: "Create a key",
  tags: ["Keys"],
  middleware: requireBody,
  request: { query: noQuery, body: body(createKeyBody, true) },
  responses: { 201: answer("The key, with its secret.", createdKey), ...problems(bodyProblems) },
});

const rotateRoute = defineRoute({
  method: "post",
  path: "/api/v1/keys/{id}/rotate",
  operationId: "rotateKey",
  summary: "Rotate a key",
  description:
    "The new key has the same name, endpoints or scope, and the same lifetime. The old key expires after the overlap.",
  tags: ["Keys"],
  request: {
    params: keyParam,
    query: noQuery,
    body: body(
      z
        .strictObject({
          overlapSeconds: z
            .int()
            .min(0)
            .max(maxOverlapSeconds)
            .default(defaultOverlapMs / 1000)
            .describe("How long the old key stays valid. `0` ends it immediately."),
        })
        .openapi("RotateKeyRequest"),
      false,
    ),
  },
  responses: {
    201: answer("The new key, with its secret, and the old one as it is now.", z.object({ key: createdKey, old: key })),
    ...problems([...bodyProblems, "not_found", "key_ended"]),
  },
});

const revokeRoute = defineRoute({
  method: "post",
  path: "/api/v1/keys/{id}/revoke",
  operationId: "revokeKey",
  summary: "Revoke a key immediately and permanently",
  tags: ["Keys"],
  request: { params: keyParam, query: noQuery },
  responses: { 200: answer("The updated key.", key), ...problems(["not_found"]) },
});

export function registerKeyRoutes(app: OpenAPIHono<RestEnv>): void {
  app.openapi(listRoute, async (c) => c.json({ data: await c.env.store.listKeys() }, 200));

  app.openapi(createKeyRoute, async (c) => {
    const { expiresAt, scope, ...request } = c.req.valid("json");
    const expiry = expiresAt === null ? null : Date.parse(expiresAt);
    rejectUseless({ ...request, scope, expiry, now: c.env.clock.now() });
    return c.json(
      await createKey(
        c.env,
        { ...request, scope: request.kind === "api" ? (scope ?? "admin") : null, expiresAt: expiry },
        auditContextOf(c.var.principal, c.env.client.address),
      ),
      201,
    );
  });

  app.openapi(rotateRoute, async (c) => {
    const overlapMs = (c.req.valid("json").overlapSeconds ?? defaultOverlapMs / 1000) * 1000;
    return c.json(
      await rotateKey(
        c.env,
        { id: c.req.valid("param").id, overlapMs },
        auditContextOf(c.var.principal, c.env.client.address),
      ),
      201,
    );
  });

  app.openapi(revokeRoute, async (c) =>
    c.json(await revokeKey(c.env, c.req.valid("param").id, auditContextOf(c.var.principal, c.env.client.address)), 200),
  );
}

function rejectUseless(p: {
  kind: "webhook" | "api";
  endpoints: string[] | null;
  scope: Scope | null;
  expiry: number | null;
  now: number;
}): void {
  if (p.kind === "api" && p.endpoints !== null)
    throw invalid("/endpoints", "An API token is valid for the whole API: remove endpoints.");
  if (p.kind === "webhook" && p.scope !== null)
    throw invalid("/scope", "A webhook key has no scope: it sends webhooks and reads the runs that it started.");
  if (p.expiry !== null && p.expiry <= p.now) throw invalid("/expiresAt", "This time is in the past.");
}

function invalid(pointer: string, message: string): AppError {
  return new AppError("invalid_input", message, { errors: [{ pointer, code: "invalid_value", message }] });
}
