import type { Scope } from "../contract/scope.ts";

/**
 * What a request needs. `open`: nothing; `own-runs`: any valid key, a webhook key seeing its own runs only; a scope: an API token that has it, or a
 * person whose role has it.
 */
export type Access = "open" | "own-runs" | Scope;

/**
 * Who may use which route of the API. This and the next table are the one place that decides: a route that is missing here is answered as if it
 * did not exist. `{name}` stands for one segment of the path.
 */
export const routeAccess = {
  "GET /healthz": "open",
  "GET /readyz": "open",
  "GET /metrics": "read",
  "GET /api/v1/openapi.json": "open",
  "GET /api/v1/runs": "own-runs",
  "GET /api/v1/runs/export": "read",
  "GET /api/v1/runs/{id}": "own-runs",
  "GET /api/v1/runs/{id}/timeline": "own-runs",
  "GET /api/v1/runs/{id}/events": "own-runs",
  "POST /api/v1/runs/{id}/cancel": "operate",
  "POST /api/v1/runs/{id}/replay": "operate",
  "GET /api/v1/triggers": "read",
  "POST /api/v1/triggers/{slug}/runs": "operate",
  "POST /api/v1/workflows/{slug}/runs": "operate",
  "POST /api/v1/agents/{slug}/runs": "operate",
  // Starts and records nothing.
  "POST /api/v1/verdicts": "read",
  // Shows a webhook key, with which one can start runs.
  "GET /api/v1/url": "operate",
  "GET /api/v1/deliveries": "read",
  "GET /api/v1/deliveries/{id}": "read",
  "POST /api/v1/deliveries/{id}/redeliver": "operate",
  "GET /api/v1/keys": "admin",
  "POST /api/v1/keys": "admin",
  "POST /api/v1/keys/{id}/revoke": "admin",
} as const satisfies Record<string, Access>;

/** Who may use which procedure of the app: `open` ones there are none. One that is missing here is refused to everybody. */
export const procedureAccess = {
  access: "read",
  changes: "read",
  search: "read",
  "canvas.graph": "read",
  "canvas.activity": "read",
  "canvas.pulses": "read",
  "triggers.list": "read",
  "triggers.names": "read",
  "triggers.get": "read",
  "triggers.url": "operate",
  "triggers.verdicts": "read",
  "triggers.test": "operate",
  "targets.get": "read",
  "targets.recentInputs": "read",
  "targets.run": "operate",
  "runs.list": "read",
  "runs.byIds": "read",
  "runs.get": "read",
  "runs.timeline": "read",
  "runs.count": "read",
  "runs.cancel": "operate",
  "runs.replay": "operate",
  "runs.bulk": "operate",
  "runs.act": "operate",
  "deliveries.list": "read",
  "deliveries.get": "read",
  "deliveries.histogram": "read",
  "deliveries.redeliver": "operate",
  "presets.list": "read",
  "presets.save": "operate",
  "presets.remove": "operate",
} as const satisfies Record<string, Scope>;

/** What a procedure needs; `null`: nobody said, so nobody may. */
export function scopeOfProcedure(path: string): Scope | null {
  return new Map<string, Scope>(Object.entries(procedureAccess)).get(path) ?? null;
}
