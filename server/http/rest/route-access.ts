import type { Access } from "../../auth/principal.ts";

/**
 * Who may use which route. The one place that decides: a route that is missing here is answered as if it did not exist. `{name}` stands
 * for one segment of the path.
 */
export const routeAccess = {
  "GET /healthz": "open",
  "GET /readyz": "open",
  "GET /metrics": "full",
  "GET /api/v1/openapi.json": "open",
  "GET /api/v1/runs": "own-runs",
  "GET /api/v1/runs/export": "full",
  "GET /api/v1/runs/{id}": "own-runs",
  "GET /api/v1/runs/{id}/timeline": "own-runs",
  "GET /api/v1/runs/{id}/events": "own-runs",
  "POST /api/v1/runs/{id}/cancel": "full",
  "POST /api/v1/runs/{id}/replay": "full",
  "GET /api/v1/triggers": "full",
  "POST /api/v1/triggers/{slug}/runs": "full",
  "POST /api/v1/workflows/{slug}/runs": "full",
  "POST /api/v1/agents/{slug}/runs": "full",
  "POST /api/v1/verdicts": "full",
  "GET /api/v1/url": "full",
  "GET /api/v1/deliveries": "full",
  "GET /api/v1/deliveries/{id}": "full",
  "POST /api/v1/deliveries/{id}/redeliver": "full",
  "GET /api/v1/keys": "full",
  "POST /api/v1/keys": "full",
  "POST /api/v1/keys/{id}/revoke": "full",
} as const satisfies Record<string, Access>;

const patterns = Object.entries(routeAccess).map(([route, access]) => {
  const [method = "", path = ""] = route.split(" ");
  const pattern = path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+");
  return { method, path, access: access as Access, pattern: new RegExp(`^${pattern}$`) };
});

/** The methods that a path takes, each with what it needs; empty: no such path. HEAD goes wherever GET goes. */
export function methodsOn(path: string): Map<string, Access> {
  const matching = patterns.filter(({ pattern }) => pattern.test(path));
  // A path that is written out comes before one that takes any name there.
  const exact = matching.filter((route) => route.path === path);
  const found = exact.length > 0 ? exact : matching;
  return new Map(found.flatMap(({ method, access }) => (method === "GET" ? [[method, access], ["HEAD", access]] : [[method, access]])));
}
