import { describe, expect, it } from "vitest";
import type { Key } from "../../contract/access/key.ts";
import { readAlertRules } from "../../contract/project/settings.ts";
import type { BlockReason } from "../runs/blocked-work.ts";
import { type AlertFacts, findCauses } from "./findings.ts";

const now = Date.UTC(2026, 0, 1);
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const rules = readAlertRules({});
const none: AlertFacts = {
  failures: [],
  matches: [],
  queues: [],
  approvals: [],
  keys: [],
  due: [],
  blocked: [],
  leftBuilds: [],
  disks: [],
};
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

  it("is a build that runs left, until none has left it for an hour", () => {
    const left = { acceptedBy: "v1", version: "v2", runs: 91, firstAt: now - dayMs };
    expect(find({ leftBuilds: [{ ...left, lastAt: now - hourMs + 1 }] })).toEqual([["runs_left_build", "v1", 91]]);
    expect(find({ leftBuilds: [{ ...left, lastAt: now - hourMs }] })).toEqual([]);
  });

  it.each([
    ["a large disk with less than 1 GB free", 2e12, 0.99e9, {}, true],
    ["a large disk with 1 GB free", 2e12, 1e9, {}, false],
    ["a small disk with less than a tenth free", 1e9, 0.09e9, {}, true],
    ["a small disk with a tenth free", 1e9, 0.1e9, {}, false],
    ["less free space than is set", 2e12, 4.9e9, { belowMb: 5_000 }, true],
    ["as much free space as is set", 2e12, 5e9, { belowMb: 5_000 }, false],
  ])("is a disk that is almost full: %s", (_, totalBytes, freeBytes, diskSpace, isFound) => {
    const disks = [{ folder: "/data", freeBytes, totalBytes }];
    expect(find({ disks }, readAlertRules({ diskSpace }))).toEqual(isFound ? [["disk_space", "/data", 1]] : []);
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
      runsLeftBuild: false,
      diskSpace: false,
    });
    const facts: AlertFacts = {
      failures: [{ target: "workflow:a", count: 1, firstAt: now, lastAt: now, runs: [] }],
      matches: [{ endpoint: "a", evaluated: 100, accepted: 0, stoppedLater: 0, wrongEvents: 0 }],
      queues: [{ target: "workflow:a", queued: 1, maxQueued: 1 }],
      approvals: [{ runId: "run_1", target: "agent:a", requestedAt: 0 }],
      keys: [key({ expiresAt: new Date(now + 1).toISOString() })],
      due: [{ pool: "isolated", version: null, runs: 1, oldestAt: 0 }],
      blocked: [{ pool: "shared", version: null, runs: 1, since: 0, reason: "no_worker", workers: 0, isOutage: true }],
      leftBuilds: [{ acceptedBy: "v1", version: "v2", runs: 1, firstAt: now, lastAt: now }],
      disks: [{ folder: "/data", freeBytes: 0, totalBytes: 1e10 }],
    };
    expect(find(facts)).toHaveLength(9);
    expect(find(facts, off)).toEqual([]);
  });
});
