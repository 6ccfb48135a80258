import type { RouteConfig } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { auditContextOf, recordOperation } from "../../auth/access/audit-context.ts";
import { auditActionOf, findOperation, type Operation } from "../../auth/access/operations.ts";
import { requireAccess } from "../../auth/access/principal.ts";
import { AppError } from "../../contract/app-error.ts";
import { pathPattern } from "../request-path.ts";
import { problemResponse } from "../problem-response.ts";
import type { RestEnv } from "./rest-deps.ts";

export interface RestRoute {
  method: string;
  /** `{name}` matches one segment. */
  path: string;
  pattern: RegExp;
  operation: Operation;
}

/** `null`: the route names no operation, so it does not exist. */
export function toRestRoute({ method, path, operationId }: RouteConfig): RestRoute | null {
  const operation = findOperation(operationId);
  return operation && { method: method.toUpperCase(), path, pattern: pathPattern(path), operation };
}

/**
 * Authenticates a request and checks that the client may call the operation of the route. While the route runs, the
 * request has the slot of its operation. Afterwards its audit entry is written.
 */
export function authorize(routes: readonly RestRoute[]): MiddlewareHandler<RestEnv> {
  return async (c, next) => {
    const methods = methodsOf(routes, c.req.path);
    const route = methods.get(c.req.method);
    if (route?.operation.access === "open") return next();
    const principal = await c.env.authenticate(c.req.raw);
    if (methods.size === 0) throw unknownRoute(c.req.path);
    if (!route) return methodNotAllowed(c.req.method, methods);
    const { access, webhookKeys, slot } = route.operation;
    if (principal.kind !== "webhook" || webhookKeys !== "own-runs") requireAccess(principal, access);
    c.set("principal", principal);
    const free = slot === undefined ? null : c.env.takeSlot(slot, principal);
    try {
      await next();
    } finally {
      free?.();
    }
    await recordAudit(c, route);
  };
}

export function unknownRoute(path: string): AppError {
  return new AppError(
    "not_found",
    `There is no route ${JSON.stringify(path)}. GET /api/v1/openapi.json describes all routes.`,
  );
}

function methodNotAllowed(method: string, methods: Map<string, RestRoute>): Response {
  const allow = [...methods.keys()].join(", ");
  return problemResponse(new AppError("method_not_allowed", `${method} is not allowed on this route. Use ${allow}.`), {
    allow,
  });
}

/** The routes of a path, by method; empty: unknown path. HEAD is allowed where GET is. */
function methodsOf(routes: readonly RestRoute[], path: string): Map<string, RestRoute> {
  const matching = routes.filter(({ pattern }) => pattern.test(path));
  // A literal path takes precedence over one with parameters.
  const exact = matching.filter((route) => route.path === path);
  const methods = new Map<string, RestRoute>();
  for (const route of exact.length > 0 ? exact : matching) {
    methods.set(route.method, route);
    if (route.method === "GET") methods.set("HEAD", route);
  }
  return methods;
}

/** `subject`: the id or slug in the path. `made`: the id of the created object. */
async function recordAudit(c: Context<RestEnv>, { operation, pattern }: RestRoute): Promise<void> {
  const audited = c.get("audited");
  const action = auditActionOf(operation, audited?.choice ?? null);
  if (action === null || !c.res.ok) return;
  const made = c.res.headers.get("location")?.split("/").at(-1) ?? null;
  await recordOperation(c.env, auditContextOf(c.var.principal, c.env.client.address), {
    action,
    subject: audited?.subject ?? pattern.exec(c.req.path)?.[1] ?? null,
    detail: audited?.detail ?? (made === null ? null : { made }),
  });
}
