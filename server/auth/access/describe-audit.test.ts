import { expect, it } from "vitest";
import type { AuditEntry } from "../../contract/access/audit.ts";
import { describeAudit } from "./describe-audit.ts";

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
  expect(describeAudit(entry(change as Partial<AuditEntry>)).href).toBe(href);
});

it("an entry has its actor and its details in words", () => {
  const actor = { kind: "token", id: "key_1", name: "CI" } as const;
  expect(describeAudit(entry({ actor, detail: { role: "admin", note: "", count: 2, by: null } }))).toMatchObject({
    actorText: "token CI",
    detailText: "role: admin, count: 2",
  });
  expect(describeAudit(entry({ detail: null }))).toMatchObject({ actorText: "this machine", detailText: "" });
});
