import { describe, expect, it } from "vitest";
import { describeAlert, toSlackText } from "./describe-alert.ts";
import type { StoredAlert } from "./plan-alerts.ts";

const now = Date.UTC(2026, 0, 1);
const alert = (given: Partial<StoredAlert>): StoredAlert => ({
  id: "alt_1",
  kind: "run_failed",
  subject: "workflow:ship",
  count: 12,
  lastAt: now,
  detail: {},
  openedAt: now,
  resolvedAt: null,
  reportedCount: 1,
  ...given,
});

describe("an alert", () => {
  it.each<[Partial<StoredAlert>, string, string]>([
    [{}, "12 runs of workflow ship failed", "/runs?status=failed&target=ship&since=2026-01-01T00%3A00%3A00.000Z"],
    [
      { kind: "mismatches", subject: "shop/orders", detail: { mismatches: 30, deliveries: 100, withinMs: 3_600_000 } },
      "30 % of 100 deliveries to endpoint shop/orders matched no trigger within 1 h",
      "/deliveries?endpoint=shop%2Forders",
    ],
    [
      { kind: "queue_full", subject: "agent:triage", detail: { queued: 1000, maxQueued: 1000 } },
      "The queue of agent triage is full: 1,000 of 1,000 runs",
      "/runs?status=queued&target=triage",
    ],
    [
      {
        kind: "approval_pending",
        subject: "run_1",
        detail: { target: "agent:triage", requestedAt: "2026-01-01T00:00:00.000Z" },
      },
      "A tool call of agent triage has waited for its approval since 2026-01-01T00:00:00.000Z",
      "/runs/run_1",
    ],
    [
      {
        kind: "key_expiring",
        subject: "key_1",
        detail: { name: "shop", keyKind: "webhook", expiresAt: "2026-01-02T00:00:00.000Z" },
      },
      "Webhook key shop expires at 2026-01-02T00:00:00.000Z",
      "/settings/keys",
    ],
    [
      { kind: "workers_blocked", subject: "shared", detail: { text: "7 runs are due, and no worker can take them." } },
      "7 runs are due, and no worker can take them",
      "/runs?status=queued",
    ],
    [
      { kind: "runs_late", subject: "shared", detail: { text: "7 runs are due, the first since then." } },
      "7 runs are due, the first since then",
      "/runs?status=queued",
    ],
    [
      { kind: "runs_left_build", subject: "v1", count: 91, detail: { acceptedBy: "v1", version: "v2" } },
      "91 runs of build v1 continue on build v2: no machine has the build that accepted them",
      "/settings/builds",
    ],
    [
      { kind: "disk_space", subject: "/data", detail: { freeBytes: 0.4e9, totalBytes: 10e9 } },
      "The disk of /data has 400.0 MB of 10.0 GB free",
      "/alerts",
    ],
    [
      { kind: "store_unavailable", subject: "host-1 pid:[4026531836]", detail: { since: "2026-01-01T00:00:00.000Z" } },
      "The store of host-1 was unavailable since 2026-01-01T00:00:00.000Z",
      "/alerts",
    ],
  ])("of every kind has a sentence and the page of its cause: %#", (given, title, path) => {
    expect(describeAlert(alert(given))).toMatchObject({ title, path, status: "active" });
  });

  it("for Slack contains no markup of a payload or an error", () => {
    const runs = [{ id: "run_1", error: "Error: <!channel> & <https://evil.example|click>" }];
    const sent = { ...describeAlert(alert({ detail: { runs } })), url: "https://hooks.example.com/runs" };
    expect(toSlackText("alert.opened", sent)).toBe(
      "*Alert*: <https://hooks.example.com/runs|12 runs of workflow ship failed>\n• Error: &lt;!channel&gt; &amp; &lt;https://evil.example|click&gt;",
    );
    expect(toSlackText("alert.resolved", sent)).toBe(
      "*Resolved*: <https://hooks.example.com/runs|12 runs of workflow ship failed>",
    );
  });
});
