import { expect, it } from "vitest";
import { type AuditEntry, auditActionSchema } from "../../server/contract/access/audit.ts";
import { auditWords, subjectHref } from "./audit-text.ts";

const run = "run_01M7YJ1EX743RPB9ARP7CQES6B";
const delivery = "dlv_01M7YJ1EX743RPB9ARP7CQES6B";
const entry = (change: Partial<AuditEntry>): AuditEntry => ({
  id: "aud_1",
  at: "2026-01-01T00:00:00.000Z",
  action: "run.canceled",
  actor: { kind: "machine", id: null, name: null },
  subject: null,
  address: null,
  detail: null,
  ...change,
});

it.each([
  [{ subject: run }, `/runs/${run}`],
  [{ action: "run.started", subject: "welcome-email", detail: { made: run } }, `/runs/${run}`],
  [{ action: "approval.decided", subject: run }, `/runs/${run}`],
  [{ action: "delivery.sent", subject: "new-signup", detail: { deliveryId: delivery } }, `/deliveries/${delivery}`],
  [{ action: "delivery.redelivered", subject: delivery, detail: { runs: [run] } }, `/deliveries/${delivery}`],
  [{ action: "trigger.disabled", subject: "new-signup" }, "/?node=trigger%3Anew-signup"],
  [{ action: "key.revoked", subject: "key_1" }, "/settings/keys"],
  [{ action: "invitation.created" }, "/settings/people"],
  [{ action: "build.rolled-back", subject: "b1" }, "/settings/builds"],
  [{ action: "run.replayed", detail: { done: 12 } }, null],
  [{ action: "session.started", subject: "1" }, null],
] as const)("%j links to its page", (change, href) => {
  expect(subjectHref(entry(change as Partial<AuditEntry>))).toBe(href);
});

it("every action has words", () => {
  expect(auditActionSchema.options.filter((action) => !auditWords[action])).toEqual([]);
});
