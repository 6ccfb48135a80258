import { describe, expect, it } from "vitest";
import type { NamedStep } from "../../../server/contract/agent/conversation.ts";
import type { AwaitedEvent } from "../../../server/contract/run.ts";
import { isoAt, runStart, timelineOf } from "../../../server/domain/runs/testing/timeline.ts";
import { groupRows } from "./group-rows.ts";
import {
  durationOf,
  findWait,
  linkedRow,
  nameAgentRows,
  nameOf,
  outcomeOf,
  pageOf,
  subjectOf,
  timesOf,
} from "./row-labels.ts";
import { toWaterfall } from "./waterfall.ts";

const stepEntries = (name: string, at: number) =>
  [[at, "step_started", { name }] as const, [at + 5, "step_completed", { name }] as const].map(
    ([ms, kind, rest]): [number, typeof kind, typeof rest] => [ms, kind, rest],
  );

it("agent steps have the names that the server gives them, and failures reported to the model look like failures", () => {
  const entries = timelineOf(
    [0, "attempt_started"],
    ...["tool 1.1 send mail", "tool 1.2 refund", "my own"].flatMap((name, index) => stepEntries(name, index * 10)),
    [100, "sleep_started", { name: "wait for model 2" }],
  );
  const named: NamedStep[] = [
    { name: "tool 1.1 send mail", kind: "tool", label: "Tool send mail", outcome: "failed" },
    { name: "tool 1.2 refund", kind: "tool", label: "Tool refund", outcome: "stopped" },
    { name: "wait for model 2", kind: "pause", label: "Wait for model call 2", outcome: null },
  ];
  expect(
    nameAgentRows(toWaterfall(entries, { isExecuting: true }), named).map(({ label, of, state }) => [label, of, state]),
  ).toEqual([
    ["Attempt 1", undefined, "open"],
    ["Tool send mail", "tool", "failed"],
    ["Tool refund", "tool", "stopped"],
    ["my own", undefined, "ok"],
    ["Wait for model call 2", "pause", "open"],
  ]);
});

const finished = (status: string) => ({ name: "receipt", data: { runId: "run_1", status } });
const clock = { from: runStart, now: runStart + 4_000 };
const rowsOf = (...entries: Parameters<typeof timelineOf>) =>
  toWaterfall(timelineOf(...entries), { isExecuting: true });

describe("the text of a row", () => {
  it("has the kind, the state, the start and the duration", () => {
    const [, attempt, step, log] = rowsOf(
      [0, "queued"],
      [2, "attempt_started"],
      [1_200, "step_started", { name: "post" }],
      [1_240, "step_failed", { name: "post", durationMs: 39.4 }],
      [1_241, "log", { level: "warn", message: "oh" }],
    );
    expect(attempt && nameOf(attempt, clock)).toBe("Attempt 1, in progress, 14:00:00.002 · at 2 ms · 4.00 s so far");
    expect(step && nameOf(step, clock)).toBe("step post, failed, 14:00:01.200 · at 1.20 s · took 39 ms");
    expect(log && nameOf(log, clock)).toBe("log, warn: oh, 14:00:01.241 · at 1.24 s");
    expect(log && durationOf(log, clock.now)).toBeNull();
  });

  it("has the number of a try, and the time of the next one", () => {
    const [failed, backoff] = rowsOf(
      [0, "queued"],
      [2, "attempt_started"],
      [3, "step_started", { name: "charge", data: { try: 2, maxTries: 3 } }],
      [4, "step_failed", { name: "charge", durationMs: 1, until: isoAt(60_004), data: { try: 2, maxTries: 3 } }],
    ).slice(-2);
    expect(failed && nameOf(failed, clock)).toBe("step charge, try 2, failed, 14:00:00.003 · at 3 ms · took 1 ms");
    expect(backoff && nameOf(backoff, clock)).toBe(
      "charge: backoff 1 min, waiting, 14:00:00.004 · at 4 ms · until 14:01:00.004",
    );
  });

  it("has the scheduled end of a sleep", () => {
    const sleep = rowsOf(
      [0, "queued"],
      [1, "attempt_started"],
      [2, "sleep_started", { name: "nap", until: isoAt(60_000) }],
    ).at(-1);
    expect(sleep && nameOf(sleep, clock)).toBe("sleep nap, waiting, 14:00:00.002 · at 2 ms · until 14:01:00.000");
    const long = rowsOf(
      [0, "attempt_started"],
      [2, "sleep_started", { name: "nap", until: isoAt(14 * 86_400_000 + 2) }],
    );
    expect(long[1] && timesOf(long[1], clock)).toBe("14:00:00.002 · at 2 ms · until 2026-12-05 14:00 UTC");
  });

  it("has what a wait waits for, and how it ended", () => {
    const events: AwaitedEvent[] = [
      { source: "order-shipped", match: { "/order/id": "A1" } },
      { source: "order-canceled", match: {} },
    ];
    const wait = (...end: Parameters<typeof timelineOf>) =>
      rowsOf(
        [0, "queued"],
        [1, "attempt_started"],
        [2, "wait_started", { name: "outcome", until: isoAt(60_000), data: { events } }],
        ...end,
      )[2];
    const [open, ended, timedOut] = [
      wait(),
      wait([9, "wait_finished", { name: "outcome", data: { deliveryId: "dlv_1", source: "order-canceled" } }]),
      wait([60_000, "wait_finished", { name: "outcome" }]),
    ];
    const what = 'wait outcome, order-shipped {"/order/id": "A1"} or order-canceled';
    expect(open && nameOf(open, clock)).toBe(`${what}, waiting, 14:00:00.002 · at 2 ms · until 14:01:00.000`);
    expect(ended && nameOf(ended, clock)).toBe(`${what}, event received, 14:00:00.002 · at 2 ms · took 7 ms`);
    expect(timedOut && nameOf(timedOut, clock)).toBe(`${what}, timed out, 14:00:00.002 · at 2 ms · took 1 min`);
    expect([open, ended, timedOut].map((row) => row && [subjectOf(row), outcomeOf(row), pageOf(row)?.href])).toEqual([
      ["order-shipped or order-canceled", null, undefined],
      ["order-canceled", null, "/deliveries/dlv_1"],
      ["order-shipped or order-canceled", "timed out", undefined],
    ]);
  });

  it("has the target of a child run, how its call ended, and leads to it", () => {
    const target = { kind: "workflow", slug: "print" };
    const started = (isAwaited: boolean, until: string | null = null) => ({
      name: "receipt",
      until,
      data: { runId: "run_1", target, isAwaited },
    });
    const [open, point, completed, failed, late] = [
      rowsOf([2, "child_started", started(true)]),
      rowsOf([2, "child_started", started(false)]),
      ...["completed", "failed", "timed_out"].map((status) =>
        rowsOf([2, "child_started", started(true, isoAt(60_002))], [9, "child_finished", finished(status)]),
      ),
    ].flatMap((rows) => rows.slice(0, 1));
    const at = "14:00:00.002 · at 0 ms";
    expect([open, point, completed, failed, late].map((row) => row && nameOf(row, { ...clock, from: row.at }))).toEqual(
      [
        `call receipt, print, waiting, ${at} · 4.00 s so far`,
        `start receipt, print, ${at}`,
        `call receipt, print, completed, ${at} · took 7 ms`,
        `call receipt, print, failed, ${at} · took 7 ms`,
        `call receipt, print, timed out, ${at} · took 7 ms`,
      ],
    );
    expect([open, completed, failed, late].map((row) => row && outcomeOf(row))).toEqual([
      null,
      null,
      "failed",
      "timed out",
    ]);
    expect(point && pageOf(point)).toEqual({ href: "/runs/run_1", id: "run_1", label: "Open child run" });
    expect(open && subjectOf({ ...open, label: "print" })).toBeNull();
    expect(open && linkedRow([open], { step: "receipt", attempt: null })).toBe(open);
  });

  it("says in the title which child run the run waits for until when", () => {
    const data = { runId: "run_1", target: { kind: "agent", slug: "triage" }, isAwaited: true };
    const entries = timelineOf(
      [1, "attempt_started"],
      [2, "child_started", { name: "sort", until: isoAt(60_000), data }],
    );
    expect(findWait(entries)).toEqual({ text: "waits for triage until", until: runStart + 60_000 });
  });

  it("says in the title what the run waits for", () => {
    const events = [{ source: "order-shipped", match: {} }];
    const entries = timelineOf(
      [0, "queued"],
      [1, "attempt_started"],
      [2, "wait_started", { name: "shipped", until: isoAt(60_000), data: { events } }],
    );
    expect(findWait(entries)).toEqual({ text: "waits for order-shipped until", until: runStart + 60_000 });
  });

  it("has the start and end of a group", () => {
    const [group] = groupRows(
      rowsOf(...Array.from({ length: 20 }, (_, index): [number, "log"] => [index * 100, "log"])),
      { logs: "all", opened: new Set() },
    );
    expect(group && timesOf(group, clock)).toBe("0 ms – 1.90 s");
    expect(group && nameOf(group, clock)).toBe("20 log lines, 0 ms – 1.90 s");
  });
});
