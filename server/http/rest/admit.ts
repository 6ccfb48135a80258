import type { Context, MiddlewareHandler } from "hono";
import { type Access, actionOfRoute, routeAccess } from "../../auth/access/access-table.ts";
import { auditContextOf, auditOf } from "../../auth/access/audit-context.ts";
import { requireAccess } from "../../auth/access/principal.ts";
import { AppError } from "../../contract/app-error.ts";
import { problemResponse } from "./problem-response.ts";
import type { RestEnv } from "./rest-deps.ts";

const patterns = Object.entries(routeAccess).map(([route, access]) => {
  const [method = "", path = ""] = route.split(" ");
  const pattern = path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+");
  return { method, path, access: access as Access, pattern: new RegExp(`^${pattern}$`) };
});

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

/**
 * Writes the audit entry of a request that changed something. If that fails, the change stays, and the log reports the
 * failure.
 */
async function noteRequest(c: Context<RestEnv>): Promise<void> {
  const found = actionOfRoute(c.req.method, c.req.path);
  if (!found || !c.res.ok) return;
  const { store, clock, logger, client } = c.env;
  const made = c.res.headers.get("location")?.split("/").at(-1) ?? null;
  const entry = auditOf(auditContextOf(c.var.principal, client.address), {
    action: found.action,
    subject: found.subject,
    detail: made === null ? null : { made },
    now: clock.now(),
  });
  await store
    .recordAudit(entry)
    .catch((error: unknown) => logger.error("could not write to the audit log", { ...entry, error }));
}

/** The methods of a path, each with the access that it needs; empty: no such path. HEAD is allowed where GET is. */
function methodsOn(path: string): Map<string, Access> {
  const matching = patterns.filter(({ pattern }) => pattern.test(path));
  // A path that is written out comes before one that takes any name there.
  const exact = matching.filter((route) => route.path === path);
  const found = exact.length > 0 ? exact : matching;
  return new Map(
    found.flatMap(({ method, access }) =>
      method === "GET"
        ? [
            [method, access],
            ["HEAD", access],
          ]
        : [[method, access]],
    ),
  );
}
