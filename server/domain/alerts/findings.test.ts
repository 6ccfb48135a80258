import { describe, expect, it } from "vitest";
import type { Key } from "../../contract/access/key.ts";
import { readAlertRules } from "../../contract/project/settings.ts";
import type { BlockReason } from "../runs/blocked-work.ts";
import { type AlertFacts, findCauses } from "./findings.ts";

const now = Date.UTC(2026, 0, 1);
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const rules = readAlertRules({});
const none: AlertFacts = { failures: [], matches: [], queues: [], approvals: [], keys: [], due: [], blocked: [] };
const find = (facts: Partial<AlertFacts>, with_ = rules) =>
  findCauses(with_, { ...none, ...facts }, now).map(({ kind, subject, count }) => [kind, subject, count]);
const key = (given: Partial<Key>): Key => ({
  id: "key_1",
  kind: "webhook",
  name: "default",
  hint: "sbx",
  endpoints: null,
  scope: null,
  createdAt: "2025-01-01T00:00:00.000Z",
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
  replacedBy: null,
  ownerId: null,
  ...given,
});

describe("a cause for an alert", () => {
  it("is a failed run, until no run of its target has failed for an hour", () => {
    const failure = { target: "workflow:ship", count: 3, firstAt: now - hourMs, runs: [] };
    expect(find({ failures: [{ ...failure, lastAt: now - hourMs + 1 }] })).toEqual([
      ["run_failed", "workflow:ship", 3],
    ]);
    expect(find({ failures: [{ ...failure, lastAt: now - hourMs }] })).toEqual([]);
  });

  it("is a share of mismatches of at least 20 %, of at least 20 deliveries", () => {
    const match = { endpoint: "orders", evaluated: 100, accepted: 80, stoppedLater: 0, wrongEvents: 0 };
    expect(find({ matches: [match] })).toEqual([["mismatches", "orders", 20]]);
    expect(find({ matches: [{ ...match, accepted: 81 }] })).toEqual([]);
    expect(find({ matches: [{ ...match, evaluated: 19, accepted: 0 }] })).toEqual([]);
  });

  it("is not a delivery that only a filter stopped", () => {
    expect(
      find({ matches: [{ endpoint: "orders", evaluated: 100, accepted: 10, stoppedLater: 90, wrongEvents: 0 }] }),
    ).toEqual([]);
  });

  it("is an event of a typed source in another form, however many other events its neighbours skip", () => {
    const match = { endpoint: "stripe", evaluated: 100, accepted: 0, stoppedLater: 300, wrongEvents: 20 };
    expect(find({ matches: [match] })).toEqual([["mismatches", "stripe", 20]]);
    expect(find({ matches: [{ ...match, wrongEvents: 19 }] })).toEqual([]);
  });

  it("is a queue that has reached its limit", () => {
    const queue = { target: "agent:triage", queued: 9, maxQueued: 10 };
    expect(find({ queues: [queue] })).toEqual([]);
    expect(find({ queues: [{ ...queue, queued: 10 }] })).toEqual([["queue_full", "agent:triage", 1]]);
  });

  it("is an approval that has waited for four hours, once for each run", () => {
    const approval = { runId: "run_1", target: "agent:triage", requestedAt: now - 4 * hourMs };
    expect(find({ approvals: [approval, { ...approval, requestedAt: now - dayMs }] })).toEqual([
      ["approval_pending", "run_1", 1],
    ]);
    expect(find({ approvals: [{ ...approval, requestedAt: approval.requestedAt + 1 }] })).toEqual([]);
  });

  it("is a usable key that expires within seven days, and was not rotated", () => {
    const expiresAt = new Date(now + 7 * dayMs).toISOString();
    expect(find({ keys: [key({ expiresAt })] })).toEqual([["key_expiring", "key_1", 1]]);
    const others = [
      key({}),
      key({ expiresAt: new Date(now + 7 * dayMs + 1).toISOString() }),
      key({ expiresAt: new Date(now).toISOString() }),
      key({ expiresAt, revokedAt: expiresAt }),
      key({ expiresAt, replacedBy: "key_2" }),
    ];
    expect(find({ keys: others })).toEqual([]);
  });

  it("is due runs that no worker can take, after a minute, and those that are late although workers respond, after five", () => {
    const minuteMs = 60_000;
    const due = (minutes: number) => ({
      pool: "shared" as const,
      version: null,
      runs: 7,
      oldestAt: now - minutes * minuteMs,
    });
    const blocked = (minutes: number, reason: BlockReason) => [
      { ...due(minutes), since: now - minutes * minuteMs, reason, workers: 1, isOutage: false },
    ];
    for (const reason of ["no_worker", "other_versions", "unresponsive"] as const) {
      expect(find({ due: [due(0.9)], blocked: blocked(0.9, reason) })).toEqual([]);
      expect(find({ due: [due(60)], blocked: blocked(60, reason) })).toEqual([["workers_blocked", "shared", 1]]);
    }
    expect(find({ due: [due(4.9)], blocked: blocked(4.9, "busy") })).toEqual([]);
    expect(find({ due: [due(5)], blocked: blocked(5, "busy") })).toEqual([["runs_late", "shared", 1]]);
    // Workers take them, but slowly.
    expect(find({ due: [due(5), { ...due(6), version: "v1" }] })).toEqual([["runs_late", "shared", 1]]);
  });

  it("is not found by a rule that is off", () => {
    const off = readAlertRules({
      runFailed: false,
      mismatches: false,
      queueFull: false,
      approvalPending: false,
      keyExpiring: false,
      workersBlocked: false,
      runsLate: false,
    });
    const facts: AlertFacts = {
      failures: [{ target: "workflow:a", count: 1, firstAt: now, lastAt: now, runs: [] }],
      matches: [{ endpoint: "a", evaluated: 100, accepted: 0, stoppedLater: 0, wrongEvents: 0 }],
      queues: [{ target: "workflow:a", queued: 1, maxQueued: 1 }],
      approvals: [{ runId: "run_1", target: "agent:a", requestedAt: 0 }],
      keys: [key({ expiresAt: new Date(now + 1).toISOString() })],
      due: [{ pool: "isolated", version: null, runs: 1, oldestAt: 0 }],
      blocked: [{ pool: "shared", version: null, runs: 1, since: 0, reason: "no_worker", workers: 0, isOutage: true }],
    };
    expect(find(facts)).toHaveLength(7);
    expect(find(facts, off)).toEqual([]);
  });
});
