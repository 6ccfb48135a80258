import type { AuditEntry } from "../../../contract/access/audit.ts";
import type { Key } from "../../../contract/access/key.ts";
import type { Invitation, Person } from "../../../contract/access/person.ts";
import type { Alert, AlertTest } from "../../../contract/alert.ts";
import type { Page } from "../../../contract/list.ts";
import { ids, type OperationExamples } from "./example-values.ts";

const key: Key = {
  id: ids.key,
  kind: "webhook",
  name: "shop",
  hint: "sbk_4fGk…",
  endpoints: ["signup"],
  scope: null,
  createdAt: "2026-11-20T08:00:00.000Z",
  expiresAt: null,
  lastUsedAt: "2026-11-21T10:00:00.000Z",
  revokedAt: null,
  replacedBy: null,
  ownerId: null,
};
const newKey: Key = {
  ...key,
  id: ids.otherKey,
  hint: "sbk_9tRw…",
  createdAt: "2026-11-21T11:30:00.000Z",
  lastUsedAt: null,
};
const withSecret = { ...newKey, secret: "sbk_9tRw…" };

const person: Person = {
  id: ids.person,
  name: "Grace Hopper",
  email: "grace@example.com",
  role: "admin",
  createdAt: "2026-11-20T07:55:00.000Z",
  lastSeenAt: "2026-11-21T11:29:30.000Z",
};

const invitation: Invitation & { url: string } = {
  id: "inv_01KAR0D8G1K4N7Q0S3V6X9Z2B5",
  kind: "invitation",
  role: "operator",
  note: "Katherine",
  personId: null,
  createdBy: "Grace Hopper",
  createdAt: "2026-11-21T11:32:00.000Z",
  expiresAt: "2026-11-28T11:32:00.000Z",
  url: "https://hooks.example.com/invite/…",
};

const audited: AuditEntry = {
  id: "aud_01KAR0E3H6M9P2R5T8W1Y4A7C0",
  at: "2026-11-21T11:30:00.000Z",
  action: "run.resumed",
  actor: { kind: "person", id: ids.person, name: "Grace Hopper" },
  subject: ids.run,
  address: "192.0.2.14",
  detail: null,
};

const alert: Alert = {
  id: "alt_01KAQZW1B4D7F0H3K6N9Q2S5V8",
  kind: "run_failed",
  subject: "workflow:welcome-email",
  status: "active",
  title: "1 run of workflow welcome-email failed",
  count: 1,
  path: "/runs?status=failed&target=welcome-email&since=2026-11-21T10%3A00%3A04.310Z",
  detail: { runs: [{ id: ids.run, error: "Error: connect ECONNREFUSED 192.0.2.7:25" }] },
  openedAt: "2026-11-21T10:00:04.310Z",
  lastAt: "2026-11-21T10:00:04.310Z",
  resolvedAt: null,
  messages: [
    {
      id: "msg_01KAQZW1B5E8G1J4M7P0R3T6W9",
      type: "alert.opened",
      destination: "slack",
      status: "sent",
      attempts: 1,
      createdAt: "2026-11-21T10:00:04.310Z",
      sentAt: "2026-11-21T10:00:04.655Z",
      error: null,
    },
  ],
};
const tested: AlertTest = { destination: "slack", isSent: true, error: null };

const toolsListed = {
  jsonrpc: "2.0",
  id: 1,
  result: { tools: [{ name: "search_docs", inputSchema: { type: "object", properties: {} } }] },
};

export const serviceExamples: OperationExamples = {
  getAccess: { answers: { 200: { scope: "operate" } } },
  callTools: {
    request: { jsonrpc: "2.0", id: 1, method: "tools/list" },
    answers: {
      "200 application/json": toolsListed,
      "200 text/event-stream": `event: message\ndata: ${JSON.stringify(toolsListed)}\n\n`,
    },
  },
  listKeys: { answers: { 200: { data: [key] } } },
  createKey: {
    request: { kind: "webhook", name: "shop", endpoints: ["signup"] },
    answers: { 201: withSecret },
  },
  rotateKey: {
    request: { overlapSeconds: 86_400 },
    answers: {
      201: {
        key: withSecret,
        old: { ...key, expiresAt: "2026-11-22T11:30:00.000Z", replacedBy: ids.otherKey } satisfies Key,
      },
    },
  },
  revokeKey: { answers: { 200: { ...key, revokedAt: "2026-11-21T11:30:00.000Z" } satisfies Key } },
  listPeople: { answers: { 200: { data: [person] } } },
  createInvitation: { request: { role: "operator", note: "Katherine" }, answers: { 201: invitation } },
  createResetLink: {
    answers: {
      201: {
        ...invitation,
        kind: "reset",
        role: "admin",
        note: person.email,
        personId: ids.person,
        expiresAt: "2026-11-21T12:32:00.000Z",
        url: "https://hooks.example.com/reset/…",
      } satisfies typeof invitation,
    },
  },
  createSetupLink: {
    answers: {
      201: {
        ...invitation,
        kind: "setup",
        role: "admin",
        note: "",
        createdBy: "machine",
        expiresAt: "2026-11-21T12:32:00.000Z",
        url: "https://hooks.example.com/setup/…",
      } satisfies typeof invitation,
    },
  },
  listAudit: { answers: { 200: { data: [audited], nextCursor: null } satisfies Page<AuditEntry> } },
  listAlerts: { answers: { 200: { data: [alert], nextCursor: null } satisfies Page<Alert> } },
  testAlerts: { answers: { 200: { data: [tested] } } },
  isAlive: { answers: { 200: { ok: true } } },
  isReady: {
    answers: {
      200: { ok: true, reasons: [], warnings: [] },
      503: { ok: false, reasons: ["No worker has reported in the last 15 seconds."], warnings: [] },
    },
  },
  metrics: { answers: { 200: 'signalbox_deliveries_total{endpoint="signup",outcome="accepted",status="202"} 214\n' } },
  openapi: { answers: { 200: { openapi: "3.1.0" } } },
};
