import type { MiddlewareHandler } from "hono";
import type { Access } from "../../auth/access-table.ts";
import { requireAccess } from "../../auth/refuse-access.ts";
import { AppError } from "../../contract/app-error.ts";
import { problemResponse } from "./problem-response.ts";
import { noteRequest } from "./note-request.ts";
import type { RestEnv } from "./rest-deps.ts";
import { methodsOn } from "./route-access.ts";

/** Lets a request on to its route: first who asks, then whether there is such a route, then whether this one may use it. */
export const admit: MiddlewareHandler<RestEnv> = async (c, next) => {
  const methods = methodsOn(c.req.path);
  const access = methods.get(c.req.method);
  if (access === "open") return next();
  const principal = await c.env.authenticate(c.req.raw);
  if (methods.size === 0) throw noSuchRoute(c.req.path);
  if (access === undefined) return methodNotAllowed(c.req.method, methods);
  if (access !== "own-runs") requireAccess(principal, access);
  c.set("principal", principal);
  await next();
  return noteRequest(c);
};

export function noSuchRoute(path: string): AppError {
  return new AppError(
    "not_found",
    `There is no route ${JSON.stringify(path)}. GET /api/v1/openapi.json describes all routes.`,
  );
}

function methodNotAllowed(method: string, methods: Map<string, Access>): Response {
  const allow = [...methods.keys()].join(", ");
  return problemResponse(new AppError("method_not_allowed", `${method} is not allowed on this route. Use ${allow}.`), {
    allow,
  });
}
