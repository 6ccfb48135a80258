import type { AuditAction } from "../../contract/access/audit-actions.ts";
import type { Scope } from "../../contract/access/scope.ts";

/**
 * The access that an operation needs. `open`: none. A scope: an API token with it, or a person whose role has it.
 * `machine`: direct access to the store.
 */
export type Access = "open" | Scope | "machine";

export interface Operation {
  access: Access;
  /** Over REST, a webhook key may read the runs that it started. */
  webhookKeys?: "own-runs";
  /**
   * The audit action of a successful call, or one per `action` of its input. Operations on keys, people and invitations
   * have none: they write their entry in the transaction of the change.
   */
  audit?: AuditAction | Readonly<Record<string, AuditAction>>;
  /** The only API that offers it. Default: REST, and the internal API of the pages. */
  only?: "rest" | "pages";
  /** The concurrent calls of one key or person are limited. */
  slot?: "list" | "content";
}

const runActions = { cancel: "run.canceled", resume: "run.resumed", replay: "run.replayed" } as const;

/**
 * The operations of the service, for both APIs: a REST route names its operation by `operationId`, a tRPC procedure by
 * `procedure("…")`. This table alone decides who may use them. A route whose operation is missing here does not exist.
 */
export const operations = {
  isAlive: { access: "open", only: "rest" },
  isReady: { access: "open", only: "rest" },
  openapi: { access: "open", only: "rest" },
  metrics: { access: "read", only: "rest" },

  // Each tool is one of the other operations, with its own access.
  callTools: { access: "read", only: "rest" },
  getAccess: { access: "read" },
  getFailedBuild: { access: "read", only: "pages" },
  searchAll: { access: "read", only: "pages", slot: "list" },
  showActivity: { access: "read", only: "pages" },
  showGraph: { access: "read", only: "pages" },
  watchChanges: { access: "read", only: "pages" },

  countRuns: { access: "read", slot: "list" },
  exportRuns: { access: "read", only: "rest" },
  findRuns: { access: "read", only: "pages" },
  getAgentTrace: { access: "read", slot: "content" },
  getRun: { access: "read", webhookKeys: "own-runs" },
  listRuns: { access: "read", webhookKeys: "own-runs", slot: "list" },
  listSteps: { access: "read", slot: "content" },
  listTimeline: { access: "read", webhookKeys: "own-runs", slot: "content" },
  streamRunEvents: { access: "read", only: "rest", webhookKeys: "own-runs" },
  // Reads up to 100,000 runs.
  simulateFlow: { access: "read", slot: "list" },
  sumUsage: { access: "read", slot: "list" },
  actOnFilteredRuns: { access: "operate", audit: runActions },
  actOnRuns: { access: "operate", only: "pages", audit: runActions, slot: "list" },
  cancelRun: { access: "operate", audit: "run.canceled" },
  decideApproval: { access: "operate", audit: "approval.decided" },
  replayRun: { access: "operate", audit: "run.replayed" },
  // Like revealDelivery.
  revealRun: { access: "operate", slot: "content" },
  resumeRun: { access: "operate", audit: "run.resumed" },

  getTarget: { access: "read", only: "pages" },
  listRecentInputs: { access: "read", only: "pages" },
  startAgentRun: { access: "operate", only: "rest", audit: "run.started" },
  startTarget: { access: "operate", only: "pages", audit: "run.started" },
  startTriggerRuns: { access: "operate", only: "rest", audit: "run.started" },
  startWorkflowRun: { access: "operate", only: "rest", audit: "run.started" },

  // Reads up to 20,000 deliveries, and starts nothing.
  backtest: { access: "read", slot: "list" },
  // Starts and records nothing.
  explainBody: { access: "read" },
  getTrigger: { access: "read", only: "pages" },
  // Reads up to 2,000 deliveries.
  inferTrigger: { access: "read", slot: "list" },
  // Reads up to 500 deliveries of each endpoint.
  readDrift: { access: "read", slot: "list" },
  listDisabledTriggers: { access: "read", only: "pages" },
  listNames: { access: "read", only: "pages" },
  listTriggers: { access: "read" },
  disableTrigger: { access: "operate", audit: "trigger.disabled" },
  enableTrigger: { access: "operate", audit: "trigger.enabled" },
  // Shows a webhook key, with which one can start runs.
  triggerUrl: { access: "operate" },

  // Each connection has an entry in the audit log, which names its endpoint and its start.
  followDeliveries: { access: "feed", only: "rest", audit: "feed.opened" },
  explainDelivery: { access: "read", only: "rest", slot: "content" },
  exportDeliveries: { access: "read", only: "rest" },
  getDelivery: { access: "read", slot: "content" },
  getDeliveryFile: { access: "read", only: "rest", slot: "content" },
  listDeliveries: { access: "read", slot: "list" },
  showHistogram: { access: "read", only: "pages", slot: "list" },
  releaseDeliveries: { access: "operate", audit: { release: "delivery.released" }, slot: "list" },
  releaseDelivery: { access: "operate", audit: { release: "delivery.released" } },
  redeliver: { access: "operate", audit: "delivery.redelivered" },
  // Shows the recorded values of sensitive fields. Writes its audit entry first.
  revealDelivery: { access: "operate", slot: "content" },
  sendDelivery: { access: "operate", audit: "delivery.sent" },

  listPresets: { access: "read", only: "pages" },
  removePreset: { access: "operate", only: "pages", audit: "preset.removed" },
  savePreset: { access: "operate", only: "pages", audit: "preset.saved" },

  // Changes nothing.
  checkOpenRuns: { access: "read", only: "rest", slot: "list" },
  listBuilds: { access: "read", slot: "list" },
  // Selects the code that is executed.
  rollBack: { access: "admin", audit: "build.rolled-back" },

  // The caller's own account.
  changePassword: { access: "read", only: "pages" },
  endOwnSession: { access: "read", only: "pages" },
  listOwnSessions: { access: "read", only: "pages" },

  changeRole: { access: "admin", only: "pages" },
  createInvitation: { access: "admin" },
  createResetLink: { access: "admin" },
  createSetupLink: { access: "machine", only: "rest" },
  endSession: { access: "admin", only: "pages" },
  listAudit: { access: "admin" },
  listInvitations: { access: "admin", only: "pages" },
  listPeople: { access: "admin" },
  listSessions: { access: "admin", only: "pages" },
  removePerson: { access: "admin", only: "pages" },
  revokeInvitation: { access: "admin", only: "pages" },

  listAlerts: { access: "read" },
  // Sends requests to other services.
  testAlerts: { access: "admin", audit: "alert.tested" },

  createKey: { access: "admin" },
  listKeys: { access: "admin" },
  revokeKey: { access: "admin" },
  rotateKey: { access: "admin" },
  showKey: { access: "admin", only: "pages" },
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof operations;

/** The operations that a tRPC procedure may offer: none of them is open, and none needs direct access to the store. */
export type ScopedOperationId = {
  [Id in OperationId]: (typeof operations)[Id]["access"] extends Scope ? Id : never;
}[OperationId];

/** `null`: the table has no such operation. */
export function findOperation(id: string | undefined): Operation | null {
  return Object.entries(operations).find(([known]) => known === id)?.[1] ?? null;
}

/** The audit action of a call; `null`: the call has no entry, or writes it itself. `choice`: the `action` of its input. */
export function auditActionOf({ audit }: Operation, choice: string | null): AuditAction | null {
  if (audit === undefined || typeof audit === "string") return audit ?? null;
  return (choice === null ? null : audit[choice]) ?? null;
}
