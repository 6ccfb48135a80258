import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RetryPolicy } from "../contract/project/options.ts";
import { type HeldRun, type WorkerDeath, planLostRuns } from "./plan-lost-runs.ts";

const policy: RetryPolicy = { attempts: 3, backoff: "fixed", initialMs: 100, maxMs: 1000 };
const now = 10_000;
const oom: WorkerDeath = { kind: "crashed", how: "ran out of memory" };
const run = (id: string, over: Partial<HeldRun> = {}): HeldRun => ({
  id,
  version: "v1",
  target: { kind: "workflow", slug: "w" },
  failureOf: null,
  attempt: 1,
  maxAttempts: 3,
  attemptsBefore: 0,
  crashes: 0,
  deadlineAt: now + 1000,
  ...over,
});
const plan = (death: WorkerDeath, runs: HeldRun[], hasOnFailure = false) =>
  planLostRuns({
    death,
    runs,
    buildOf: () => ({ version: "v2", target: { retries: policy, hasOnFailure, concurrency: null } }),
    now,
    random: () => 0.5,
  });
const fates = (...given: Parameters<typeof plan>) => plan(...given).map(({ fate }) => fate);
const kinds = (death: WorkerDeath, runs: HeldRun[]) => fates(death, runs).map(({ kind }) => kind);

describe("planLostRuns", () => {
  test("a run that was alone when its process crashed failed its attempt, and is tried again", () => {
    expect(fates(oom, [run("a")])).toMatchObject([
      {
        kind: "fail",
        transition: { to: "waiting", reason: "retry", availableAt: now + 100 },
        entries: [{ kind: "attempt_failed", error: { name: "WorkerCrashed" } }, { kind: "retry_scheduled" }],
      },
    ]);
  });

  test("the last attempt of a run that was alone fails the run, and its error describes how the process ended", () => {
    expect(fates(oom, [run("a", { attempt: 3 })])).toMatchObject([
      {
        kind: "fail",
        transition: { to: "failed", error: { message: "The worker process that ran this attempt ran out of memory." } },
      },
    ]);
  });

  test("the run that a lost worker fails permanently has its onFailure called by the build that executed it, but not that of onFailure", () => {
    expect(fates(oom, [run("a", { attempt: 3 })], true)).toMatchObject([
      { transition: { to: "failed", failureRun: { version: "v2", maxAttempts: 5 } } },
    ]);
    expect(fates(oom, [run("a", { attempt: 2 })], true)).toMatchObject([{ transition: { to: "waiting" } }]);
    expect(fates(oom, [run("a", { attempt: 3, failureOf: "run_b" })], true)).toMatchObject([
      { transition: { to: "failed", failureRun: null } },
    ]);
  });

  test("of several runs, each is executed again alone", () => {
    expect(kinds(oom, [run("a"), run("b")])).toEqual(["isolate", "isolate"]);
  });

  test("a blocked process blames the run seen blocking it past its timeout, and its other runs continue", () => {
    const death: WorkerDeath = { kind: "blocked", blockedMs: 2000, culprits: ["a"], stack: null };
    expect(kinds(death, [run("a", { deadlineAt: now - 600 }), run("b", { deadlineAt: now - 600 })])).toEqual([
      "fail",
      "resume",
    ]);
    expect(fates(death, [run("a", { deadlineAt: now - 600, attempt: 3 })])).toMatchObject([
      { transition: { to: "timed_out" } },
    ]);
  });

  test("a run seen blocking before its timeout continues alone, the others continue together", () => {
    expect(kinds({ kind: "blocked", blockedMs: 15_000, culprits: ["a"], stack: null }, [run("a"), run("b")])).toEqual([
      "isolate",
      "resume",
    ]);
  });

  test("an isolated run whose process was ended for other runs fails, long before its timeout, and its error says so", () => {
    const death: WorkerDeath = { kind: "blocked", blockedMs: 60_000, culprits: ["a"], stack: null, othersWaiting: 2 };
    expect(fates(death, [run("a", { deadlineAt: now + 3_600_000, attempt: 3 })])).toMatchObject([
      {
        transition: {
          to: "failed",
          error: { message: expect.stringContaining("while 2 other runs waited for a process of their own") },
        },
      },
    ]);
  });

  test("no run is blamed for a blocked process if the culprit is unknown", () => {
    expect(
      kinds({ kind: "blocked", blockedMs: 15_000, culprits: null, stack: null }, [
        run("a", { deadlineAt: 0 }),
        run("b"),
      ]),
    ).toEqual(["isolate", "isolate"]);
  });

  test("a kill from outside is forgiven once", () => {
    const death: WorkerDeath = { kind: "killed", signal: "SIGKILL" };
    expect(kinds(death, [run("a")])).toEqual(["isolate"]);
    expect(kinds(death, [run("a", { crashes: 1 })])).toEqual(["fail"]);
  });

  test("a pause from outside counts like a kill: no run is blamed at first", () => {
    const death: WorkerDeath = { kind: "stopped", silentMs: 15_000 };
    expect(kinds(death, [run("a")])).toEqual(["isolate"]);
    expect(kinds(death, [run("a"), run("b", { crashes: 1 })])).toEqual(["isolate", "isolate"]);
  });

  test("a requested shutdown blames no run", () => {
    const runs = fc.array(
      fc.record({ attempt: fc.integer({ min: 1, max: 5 }), crashes: fc.nat(5), deadlineAt: fc.option(fc.nat(20_000)) }),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(runs, (parts) => {
        const held = parts.map((part, index) => run(`run_${index}`, part));
        expect(new Set(kinds({ kind: "requested" }, held)).size).toBeLessThanOrEqual(1);
        expect(kinds({ kind: "requested" }, held).every((kind) => kind === "resume")).toBe(true);
      }),
    );
  });

  test("every run that was held gets exactly one fate", () => {
    const deaths = fc.constantFrom<WorkerDeath>(
      oom,
      { kind: "requested" },
      { kind: "killed", signal: "SIGTERM" },
      { kind: "blocked", blockedMs: 1, culprits: null, stack: null },
    );
    fc.assert(
      fc.property(deaths, fc.nat(20), (death, count) => {
        const held = Array.from({ length: count }, (_, index) => run(`run_${index}`));
        expect(plan(death, held).map(({ id }) => id)).toEqual(held.map(({ id }) => id));
      }),
    );
  });
});
