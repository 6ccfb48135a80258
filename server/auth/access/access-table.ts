import type { AuditAction } from "../../contract/access/audit.ts";
import type { Scope } from "../../contract/access/scope.ts";

/**
 * The access that a request needs. `open`: none; `own-runs`: any valid key, but a webhook key only gets its own runs; a
 * scope: an API token with it, or a person whose role has it; `machine`: direct access to the store.
 */
export type Access = "open" | "own-runs" | Scope | "machine";

/**
 * The access that each route of the API needs. This table and the next one are the only place that decides: a route
 * that is missing here is answered with 404. `{name}` matches one segment of the path.
 */
export const routeAccess = {
  "GET /healthz": "open",
  "GET /readyz": "open",
  "GET /metrics": "read",
  "GET /api/v1/openapi.json": "open",
  "GET /api/v1/runs": "own-runs",
  "GET /api/v1/runs/export": "read",
  "GET /api/v1/runs/usage": "read",
  "GET /api/v1/runs/{id}": "own-runs",
  "GET /api/v1/runs/{id}/timeline": "own-runs",
  "GET /api/v1/runs/{id}/events": "own-runs",
  "GET /api/v1/runs/{id}/agent": "read",
  "POST /api/v1/runs/{id}/approvals": "operate",
  "POST /api/v1/runs/{id}/cancel": "operate",
  "POST /api/v1/runs/{id}/replay": "operate",
  "GET /api/v1/triggers": "read",
  "POST /api/v1/triggers/{slug}/runs": "operate",
  "POST /api/v1/triggers/{slug}/disable": "operate",
  "POST /api/v1/triggers/{slug}/enable": "operate",
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
  "POST /api/v1/keys/{id}/rotate": "admin",
  "POST /api/v1/keys/{id}/revoke": "admin",
  "GET /api/v1/people": "admin",
  "POST /api/v1/people/{id}/reset-link": "admin",
  "POST /api/v1/invitations": "admin",
  "POST /api/v1/setup-links": "machine",
  "GET /api/v1/audit": "admin",
} as const satisfies Record<string, Access>;

/** Below /api/auth, where people sign in. Open to anonymous clients. */
export const authRoutes = [
  "POST /api/auth/sign-in",
  "POST /api/auth/sign-out",
  "POST /api/auth/join",
  "POST /api/auth/reset",
  "POST /api/auth/token",
  "POST /api/auth/oidc",
  "GET /api/auth/callback/oidc",
] as const;

/** Pages that are open to anonymous clients, and their static files. `{name+}` matches the rest of the path. */
const openPages = [
  "/sign-in",
  "/setup/{token}",
  "/invite/{token}",
  "/reset/{token}",
  "/_next/static/{file+}",
  "/icon.svg",
];

export interface AnonymousRoute {
  method: string;
  path: string;
  pattern: RegExp;
  isPage: boolean;
}

/**
 * Everything that answers anonymous clients with more than a rejection, besides webhooks. A flood of each is tested in
 * e2e/hostile.
 */
export const anonymousRoutes: readonly AnonymousRoute[] = [
  ...Object.entries(routeAccess).flatMap(([route, access]) => (access === "open" ? [toAnonymousRoute(route)] : [])),
  ...authRoutes.map((route) => toAnonymousRoute(route)),
  ...openPages.map((path) => ({ ...toAnonymousRoute(`GET ${path}`), isPage: true })),
];

function toAnonymousRoute(route: string): AnonymousRoute {
  const [method = "", path = ""] = route.split(" ");
  const pattern = path
    .replaceAll(".", "\\.")
    .replaceAll(/\{\w+\}/g, "[^/]+")
    .replaceAll(/\{\w+\+\}/g, ".+");
  return { method, path, pattern: new RegExp(`^${pattern}$`), isPage: false };
}

/**
 * The access that each procedure of the app needs. No procedure is `open`. A procedure that is missing here is
 * forbidden.
 */
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
  "triggers.disabled": "read",
  "triggers.disable": "operate",
  "triggers.enable": "operate",
  "targets.get": "read",
  "targets.recentInputs": "read",
  "targets.run": "operate",
  "runs.list": "read",
  "runs.byIds": "read",
  "project.failedBuild": "read",
  "runs.get": "read",
  "runs.timeline": "read",
  "runs.count": "read",
  "runs.usage": "read",
  "runs.agent": "read",
  "runs.decide": "operate",
  "runs.cancel": "operate",
  "runs.replay": "operate",
  "runs.bulk": "operate",
  "runs.act": "operate",
  "deliveries.list": "read",
  "deliveries.get": "read",
  "deliveries.histogram": "read",
  "deliveries.send": "operate",
  "deliveries.redeliver": "operate",
  "presets.list": "read",
  "presets.save": "operate",
  "presets.remove": "operate",
  // One's own.
  "account.sessions": "read",
  "account.endSession": "read",
  "account.changePassword": "read",
  "people.list": "admin",
  "people.changeRole": "admin",
  "people.remove": "admin",
  "people.makeResetLink": "admin",
  "people.sessions": "admin",
  "people.endSession": "admin",
  "invitations.list": "admin",
  "invitations.create": "admin",
  "invitations.revoke": "admin",
  "keys.list": "admin",
  "keys.create": "admin",
  "keys.rotate": "admin",
  "keys.revoke": "admin",
  "keys.show": "admin",
  "audit.list": "admin",
} as const satisfies Record<string, Scope>;

/** The access that a procedure needs; `null`: none is defined, so it is forbidden. */
export function scopeOfProcedure(path: string): Scope | null {
  return new Map<string, Scope>(Object.entries(procedureAccess)).get(path) ?? null;
}

/**
 * The audit actions of requests that change something. Keys, people and invitations are missing here: they write their
 * entry in the transaction of the change.
 */
const routeActions: { [Route in keyof typeof routeAccess]?: AuditAction } = {
  "POST /api/v1/runs/{id}/approvals": "approval.decided",
  "POST /api/v1/runs/{id}/cancel": "run.canceled",
  "POST /api/v1/runs/{id}/replay": "run.replayed",
  "POST /api/v1/triggers/{slug}/runs": "run.started",
  "POST /api/v1/triggers/{slug}/disable": "trigger.disabled",
  "POST /api/v1/triggers/{slug}/enable": "trigger.enabled",
  "POST /api/v1/workflows/{slug}/runs": "run.started",
  "POST /api/v1/agents/{slug}/runs": "run.started",
  "POST /api/v1/deliveries/{id}/redeliver": "delivery.redelivered",
};

const procedureActions: { [Path in keyof typeof procedureAccess]?: AuditAction } = {
  "triggers.disable": "trigger.disabled",
  "triggers.enable": "trigger.enabled",
  "targets.run": "run.started",
  "runs.decide": "approval.decided",
  "runs.cancel": "run.canceled",
  "runs.replay": "run.replayed",
  // Or replayed: their input says which.
  "runs.bulk": "run.canceled",
  "runs.act": "run.canceled",
  "deliveries.send": "delivery.sent",
  "deliveries.redeliver": "delivery.redelivered",
  "presets.save": "preset.saved",
  "presets.remove": "preset.removed",
};

const actionOfPath = new Map<string, AuditAction>(Object.entries(procedureActions));

export function actionOfProcedure(path: string, chosen: string | null): AuditAction | null {
  const action = actionOfPath.get(path) ?? null;
  return action === "run.canceled" && chosen === "replay" ? "run.replayed" : action;
}

const routePatterns = Object.entries(routeActions).map(([route, action]) => {
  const [method = "", path = ""] = route.split(" ");
  return { method, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "([^/]+)")}$`), action };
});

/** `subject`: the id or slug in the path. */
export function actionOfRoute(method: string, path: string): { action: AuditAction; subject: string | null } | null {
  for (const one of routePatterns) {
    const found = one.method === method ? one.pattern.exec(path) : null;
    if (found) return { action: one.action, subject: found[1] ?? null };
  }
  return null;
}
