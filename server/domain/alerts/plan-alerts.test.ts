import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Finding } from "./findings.ts";
import { maxAlertMs, maxMessagesPerHour, planAlerts, type StoredAlert } from "./plan-alerts.ts";

const now = Date.UTC(2026, 0, 1);
const failed = (given: Partial<Finding> = {}): Finding => ({
  kind: "run_failed",
  subject: "workflow:ship",
  count: 1,
  firstAt: now - 1000,
  lastAt: now,
  detail: {},
  ...given,
});
const plan = (findings: Finding[], given: Partial<Parameters<typeof planAlerts>[0]> = {}) =>
  planAlerts({ findings, open: [], destinations: ["webhook"], recentMessages: 0, now, ...given });
const opened = (given: Partial<StoredAlert> = {}): StoredAlert => ({
  id: "alt_1",
  kind: "run_failed",
  subject: "workflow:ship",
  count: 1,
  lastAt: now - 1000,
  detail: {},
  openedAt: now - 60_000,
  resolvedAt: null,
  reportedCount: 1,
  ...given,
});

describe("an alert", () => {
  it("opens with its first cause, and is reported to every destination", () => {
    const { alerts, messages } = plan([failed()], { destinations: ["webhook", "slack"] });
    expect(alerts).toMatchObject([{ count: 1, openedAt: now - 1000, resolvedAt: null, reportedCount: 1 }]);
    expect(messages.map(({ type, destination }) => [type, destination])).toEqual([
      ["alert.opened", "webhook"],
      ["alert.opened", "slack"],
    ]);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(2);
  });

  it("of 10,000 failed runs is one, with their count and few messages", () => {
    let open: StoredAlert[] = [];
    const sent: [string, number][] = [];
    for (let count = 1; count <= 10_000; count += 1) {
      const { alerts, messages } = plan([failed({ count })], { open });
      if (alerts.length > 0) open = alerts;
      sent.push(...messages.map(({ type, alert }): [string, number] => [type, alert.count]));
    }
    const { alerts, messages } = plan([], { open });
    expect(alerts).toMatchObject([{ count: 10_000, resolvedAt: now }]);
    sent.push(...messages.map(({ type, alert }): [string, number] => [type, alert.count]));
    expect(sent).toEqual([
      ["alert.opened", 1],
      ["alert.updated", 10],
      ["alert.updated", 100],
      ["alert.updated", 1_000],
      ["alert.updated", 10_000],
      ["alert.resolved", 10_000],
    ]);
  });

  it("that has not changed is neither written nor reported", () => {
    expect(plan([failed()], { open: [opened()] })).toEqual({ alerts: [], messages: [] });
  });

  it("ends when its cause is gone, and after a day, so that a lasting cause is reported again", () => {
    expect(plan([], { open: [opened()] }).messages).toMatchObject([{ type: "alert.resolved" }]);
    const old = opened({ openedAt: now - maxAlertMs });
    expect(plan([failed()], { open: [old] }).alerts).toMatchObject([{ id: "alt_1", resolvedAt: now }]);
  });

  it("that was never reported ends silently", () => {
    expect(plan([], { open: [opened({ reportedCount: null })] }).messages).toEqual([]);
  });

  it("waits for its message if there were too many in the last hour", () => {
    const full = plan([failed()], { recentMessages: maxMessagesPerHour });
    expect(full).toMatchObject({ alerts: [{ reportedCount: null }], messages: [] });
    expect(plan([failed()], { open: full.alerts }).messages).toMatchObject([{ type: "alert.opened" }]);
  });

  it("is recorded without destinations, too", () => {
    expect(plan([failed()], { destinations: [] })).toMatchObject({ alerts: [{ reportedCount: null }], messages: [] });
  });

  it("that was sent while the store was unavailable is recorded under its id, and only its end is reported", () => {
    const outage = failed({ kind: "store_unavailable", subject: "host", sentAs: "alt_sent" });
    const { alerts, messages } = plan([outage]);
    expect([alerts, messages]).toMatchObject([[{ id: "alt_sent", reportedCount: 1 }], []]);
    expect(plan([], { open: alerts }).messages).toMatchObject([{ type: "alert.resolved" }]);
  });

  it("of a cause is open at most once, and every message is about a planned alert, in any history", () => {
    const finding = fc
      .record({ subject: fc.constantFrom("a", "b", "c"), count: fc.integer({ min: 1, max: 2000 }) })
      .map((given) => failed(given));
    const history = fc.array(fc.uniqueArray(finding, { selector: ({ subject }) => subject }), { maxLength: 20 });
    fc.assert(
      fc.property(history, fc.integer({ min: 0, max: maxMessagesPerHour }), (rounds, recentMessages) => {
        const stored = new Map<string, StoredAlert>();
        rounds.forEach((findings, round) => {
          const open = [...stored.values()].filter(({ resolvedAt }) => resolvedAt === null);
          const { alerts, messages } = plan(findings, { open, recentMessages, now: now + round });
          for (const alert of alerts) stored.set(alert.id, alert);
          expect(messages.length).toBeLessThanOrEqual(maxMessagesPerHour - recentMessages);
          for (const { alert } of messages) expect(stored.get(alert.id)).toEqual(alert);
          const active = [...stored.values()].filter(({ resolvedAt }) => resolvedAt === null);
          expect(active.map(({ subject }) => subject).toSorted()).toEqual(
            findings.map(({ subject }) => subject).toSorted(),
          );
        });
      }),
    );
  });
});
