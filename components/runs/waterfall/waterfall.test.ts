import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isoAt, runStart, timelineOf, timelines } from "../../../server/domain/runs/testing/timeline.ts";
import { hasTimedOut, readChild, readDelivery, readEvents, type WaterfallRow, toWaterfall } from "./waterfall.ts";

const executing = { isExecuting: true };
const waiting = { isExecuting: false };

const ms = (at: number | null) => (at === null ? "…" : String(at - runStart));

/** `Attempt 1 · failed · busy 2–9`, with times since the run was created; `…` is still open. */
function describeRow(row: WaterfallRow): string {
  const spans = row.spans.map(({ look, from, to }) => `${look} ${ms(from)}–${ms(to)}`);
  return [
    `${"  ".repeat(row.depth)}${row.label}`,
    row.state,
    ...(spans.length > 0 ? spans : [`at ${ms(row.at)}`]),
  ].join(" · ");
}

const waitsFor = (source: string) => ({ events: [{ source, match: { "/order/id": "A1" } }] });
const target = { kind: "workflow", slug: "charge" };
const child = (runId: string, isAwaited = true) => ({ data: { runId, target, isAwaited } });
const childEnd = (runId: string, status: string) => ({ data: { runId, status } });
const tries = (number: number) => ({ name: "charge", data: { try: number, maxTries: 3 } });

describe("the rows of a waterfall", () => {
  it("show the time in the queue, the attempt, and its steps with their state", () => {
    const entries = timelineOf(
      [0, "queued"],
      [3, "attempt_started"],
      [4, "step_started", { name: "load" }],
      [9, "step_completed", { name: "load", durationMs: 5 }],
      [9, "log", { level: "info", message: "loaded" }],
      [10, "step_started", { name: "post" }],
      [30, "step_failed", { name: "post", durationMs: 20 }],
      [31, "attempt_failed"],
      [31, "failed"],
    );
    expect(toWaterfall(entries, waiting).map(describeRow)).toEqual([
      "Queued · ok · queued 0–3",
      "Attempt 1 · failed · busy 3–31",
      "  load · ok · busy 4–9",
      "  loaded · ok · at 9",
      "  post · failed · busy 10–30",
    ]);
  });

  it("show every try of a step, and the wait before the next one, also while a worker executes nothing", () => {
    const entries = timelineOf(
      [0, "queued"],
      [1, "attempt_started"],
      [2, "step_started", tries(1)],
      [5, "step_failed", { ...tries(1), durationMs: 3, until: isoAt(1005) }],
      [1500, "resumed"],
      [1501, "step_started", tries(2)],
      [1502, "step_failed", { ...tries(2), durationMs: 1, until: isoAt(9000) }],
    );
    expect(toWaterfall(entries, waiting).map(describeRow)).toEqual([
      "Queued · ok · queued 0–1",
      "Attempt 1 · open · busy 1–5 · idle 5–1500 · busy 1500–1502 · idle 1502–…",
      "  charge · failed · busy 2–5",
      "  charge: backoff 1.00 s · ok · backoff 5–1005 · queued 1005–1501",
      "  charge, try 2 · failed · busy 1501–1502",
      "  charge: backoff 7.50 s · open · backoff 1502–…",
    ]);
    const canceled = toWaterfall([...entries, ...timelineOf([1600, "canceled"])], waiting).map(describeRow);
    expect(canceled.slice(-2)).toEqual([
      "  charge: backoff 7.50 s · stopped · backoff 1502–1600",
      "Canceled · ok · at 1600",
    ]);
  });

  it("show the wait before the next attempt, the reused steps, and the wait for a worker", () => {
    const entries = timelineOf(
      [0, "queued"],
      [1, "attempt_started"],
      [5, "attempt_failed"],
      [5, "retry_scheduled", { until: isoAt(1005) }],
      [1500, "attempt_started", { attempt: 2 }],
      [1501, "step_reused", { attempt: 2, name: "load" }],
      [1502, "completed", { attempt: 2 }],
    );
    expect(toWaterfall(entries, waiting).map(describeRow)).toEqual([
      "Queued · ok · queued 0–1",
      "Attempt 1 · failed · busy 1–5",
      "  backoff 1.00 s · ok · backoff 5–1005 · queued 1005–1500",
      "Attempt 2 · ok · busy 1500–1502",
      "  load · ok · at 1501",
    ]);
  });

  it("show an attempt as idle while it sleeps", () => {
    const entries = timelineOf(
      [0, "queued"],
      [1, "attempt_started"],
      [2, "sleep_started", { name: "nap", until: isoAt(5002) }],
      [5003, "resumed"],
      [5003, "sleep_finished", { name: "nap" }],
      [5010, "completed"],
    );
    expect(toWaterfall(entries, waiting).map(describeRow)).toEqual([
      "Queued · ok · queued 0–1",
      "Attempt 1 · ok · busy 1–2 · idle 2–5003 · busy 5003–5010",
      "  nap · ok · sleep 2–5003",
    ]);
  });

  it("show an attempt as idle while it waits for an event, until a worker continues", () => {
    const entries = timelineOf(
      [0, "queued"],
      [1, "attempt_started"],
      [2, "wait_started", { name: "shipped", until: isoAt(9000), data: waitsFor("order-shipped") }],
      [5000, "wait_finished", { name: "shipped", data: { deliveryId: "dlv_1", source: "order-shipped" } }],
      [5010, "resumed"],
      [5020, "completed"],
    );
    expect(toWaterfall(entries, waiting).map(describeRow)).toEqual([
      "Queued · ok · queued 0–1",
      "Attempt 1 · ok · busy 1–2 · idle 2–5010 · busy 5010–5020",
      "  shipped · ok · sleep 2–5000",
    ]);
    const [, , wait] = toWaterfall(entries, waiting);
    expect(wait && [readEvents(wait), readDelivery(wait), hasTimedOut(wait)]).toEqual([
      [{ source: "order-shipped", match: { "/order/id": "A1" } }],
      { deliveryId: "dlv_1", source: "order-shipped" },
      false,
    ]);
  });

  it("show a wait that timed out, and one whose event was received before", () => {
    const rows = toWaterfall(
      timelineOf(
        [0, "queued"],
        [1, "attempt_started"],
        [2000, "wait_started", { name: "paid", until: isoAt(9000), data: waitsFor("order-paid") }],
        [1500, "wait_finished", { name: "paid", data: { deliveryId: "dlv_1", source: "order-paid" } }],
        [2010, "resumed"],
        [2020, "wait_started", { name: "shipped", until: isoAt(9000), data: waitsFor("order-shipped") }],
        [9010, "resumed"],
        [9000, "wait_finished", { name: "shipped" }],
      ),
      executing,
    );
    expect(rows.map(describeRow)).toEqual([
      "Queued · ok · queued 0–1",
      "Attempt 1 · open · busy 1–2000 · idle 2000–2010 · busy 2010–2020 · idle 2020–9010 · busy 9010–…",
      "  paid · ok · sleep 2000–2000",
      "  shipped · ok · sleep 2020–9000",
    ]);
    expect(rows.map(hasTimedOut)).toEqual([false, false, false, true]);
  });

  it("show calls of child runs from start to end with the tone of their status, and other children as a point", () => {
    const names = ["receipt", "charge", "ship", "pack"];
    const statuses = ["completed", "failed", "canceled", "timed_out"];
    const entries = timelineOf(
      [0, "queued"],
      [1, "attempt_started"],
      [2, "child_started", { name: "notify", ...child("run_n", false) }],
      ...names.map((name, at): [number, "child_started", object] => [
        3 + at,
        "child_started",
        { name, ...child(name) },
      ]),
      [7, "child_started", { name: "audit", ...child("run_a"), until: isoAt(9000) }],
      ...names.map((name, at): [number, "child_finished", object] => [
        20 + at,
        "child_finished",
        { name, ...childEnd(name, statuses[at] ?? "") },
      ]),
    );
    const rows = toWaterfall(entries, waiting);
    expect(rows.map(describeRow)).toEqual([
      "Queued · ok · queued 0–1",
      "Attempt 1 · open · busy 1–7 · idle 7–…",
      "  notify · ok · at 2",
      "  receipt · ok · call 3–20",
      "  charge · failed · call 4–21",
      "  ship · stopped · call 5–22",
      "  pack · failed · call 6–23",
      "  audit · open · call 7–…",
    ]);
    expect(rows.slice(2, 5).map(readChild)).toEqual([
      { runId: "run_n", target, status: null },
      { runId: "receipt", target, status: "completed" },
      { runId: "charge", target, status: "failed" },
    ]);
    expect(rows.at(-1)).toMatchObject({ until: runStart + 9000, endedAt: null });
  });

  it("keep a call open over several attempts, and stop it when the run ends", () => {
    const entries = timelineOf(
      [0, "attempt_started"],
      [1, "child_started", { name: "charge", ...child("run_1") }],
      [5, "attempt_failed"],
      [5, "retry_scheduled", { until: isoAt(10) }],
      [10, "attempt_started", { attempt: 2 }],
      [12, "child_finished", { name: "charge", ...childEnd("run_1", "completed") }],
    );
    const calls = (of: typeof entries) =>
      toWaterfall(of, waiting)
        .filter(({ kind }) => kind === "child")
        .map(describeRow);
    expect(calls(entries.slice(0, 5))).toEqual(["  charge · open · call 1–…"]);
    expect(calls(entries)).toEqual(["  charge · ok · call 1–12"]);
    expect(calls([...entries.slice(0, 3), ...timelineOf([6, "failed"])])).toEqual(["  charge · stopped · call 1–6"]);
  });

  it("show the end of a call of a run that had failed before, and was resumed", () => {
    const entries = timelineOf(
      [0, "attempt_started"],
      [1, "child_started", { name: "charge", ...child("run_1") }],
      [5, "failed"],
      [50, "resume_requested"],
      [60, "child_finished", { name: "charge", ...childEnd("run_1", "completed") }],
    );
    expect(toWaterfall(entries, waiting).map(describeRow)).toEqual([
      "Attempt 1 · failed · busy 0–5",
      "  charge · ok · call 1–5 · call 5–60",
      "Resumed · open · queued 50–…",
    ]);
  });

  it("leave rows in progress open, and have the scheduled end of a sleep", () => {
    const entries = timelineOf(
      [0, "queued"],
      [1, "attempt_started"],
      [2, "sleep_started", { name: "nap", until: isoAt(9000) }],
    );
    const rows = toWaterfall(entries, waiting);
    expect(rows.map(describeRow)).toEqual([
      "Queued · ok · queued 0–1",
      "Attempt 1 · open · busy 1–2 · idle 2–…",
      "  nap · open · sleep 2–…",
    ]);
    expect(rows.at(-1)?.until).toBe(runStart + 9000);
    expect(toWaterfall(entries, executing).map(describeRow)[1]).toBe("Attempt 1 · open · busy 1–…");
  });

  it("stop a step of a lost worker, and show it again when it is executed again", () => {
    const entries = timelineOf(
      [0, "queued"],
      [1, "attempt_started"],
      [2, "step_started", { name: "pay" }],
      [50, "worker_lost", { message: "killed" }],
      [80, "resumed"],
      [81, "step_started", { name: "pay" }],
      [90, "step_completed", { name: "pay" }],
      [91, "completed"],
    );
    expect(toWaterfall(entries, waiting).map(describeRow)).toEqual([
      "Queued · ok · queued 0–1",
      "Attempt 1 · ok · busy 1–50 · idle 50–80 · busy 80–91",
      "  pay · stopped · busy 2–50",
      "  Worker lost · ok · at 50",
      "  pay · ok · busy 81–90",
    ]);
  });

  it("show the requested cancel and the end", () => {
    const entries = timelineOf(
      [0, "queued"],
      [1, "attempt_started"],
      [2, "step_started", { name: "slow" }],
      [500, "cancel_requested"],
      [510, "canceled"],
    );
    expect(toWaterfall(entries, waiting).map(describeRow)).toEqual([
      "Queued · ok · queued 0–1",
      "Attempt 1 · stopped · busy 1–510",
      "  slow · stopped · busy 2–510",
      "  Cancel requested · ok · at 500",
      "Canceled · ok · at 510",
    ]);
  });

  it("show the end of a run that never started", () => {
    expect(toWaterfall(timelineOf([0, "queued"], [70, "canceled"]), waiting).map(describeRow)).toEqual([
      "Queued · stopped · queued 0–70",
      "Canceled · ok · at 70",
    ]);
    expect(toWaterfall(timelineOf([0, "queued"], [70, "failed"]), waiting).map(describeRow)).toEqual([
      "Queued · stopped · queued 0–70",
      "Failed · ok · at 70",
    ]);
  });

  it("have the entries that started and ended a row", () => {
    const error = { name: "HttpError", message: "503", stack: null };
    const entries = timelineOf(
      [0, "queued"],
      [1, "attempt_started"],
      [2, "step_started", { name: "a" }],
      [3, "step_failed", { name: "a", error }],
    );
    const step = toWaterfall(entries, executing).at(-1);
    expect([step?.entry.id, step?.end?.id, step?.end?.error]).toEqual([3, 4, error]);
  });

  it("position a step without a start entry by its duration", () => {
    expect(
      toWaterfall(timelineOf([40, "step_completed", { name: "a", durationMs: 15 }]), executing).map(describeRow),
    ).toEqual(["  a · ok · busy 25–40"]);
  });

  it("of every timeline: each log line, attempt and step has a row with a unique key, and no row stays open after the end", () => {
    fc.assert(
      fc.property(timelines, fc.boolean(), (entries, isExecuting) => {
        const rows = toWaterfall(entries, { isExecuting });
        const count = (kind: string) => entries.filter((entry) => entry.kind === kind).length;
        expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
        expect(rows.filter(({ kind }) => kind === "log")).toHaveLength(count("log"));
        expect(rows.filter(({ kind }) => kind === "attempt")).toHaveLength(count("attempt_started"));
        expect(rows.filter(({ kind }) => kind === "step")).toHaveLength(count("step_started"));
        const hasEnded = ["completed", "failed", "canceled", "timed_out"].includes(entries.at(-1)?.kind ?? "");
        expect(hasEnded ? rows.filter(({ state, endedAt }) => state === "open" || endedAt === null) : []).toEqual([]);
      }),
    );
  });

  it("of every timeline: start in order, with spans without gaps", () => {
    fc.assert(
      fc.property(timelines, fc.boolean(), (entries, isExecuting) => {
        const rows = toWaterfall(entries, { isExecuting });
        expect(rows.map(({ at }) => at)).toEqual(rows.map(({ at }) => at).sort((a, b) => a - b));
        for (const { at, endedAt, spans } of rows.filter(({ spans }) => spans.length > 0)) {
          expect([spans[0]?.from, spans.at(-1)?.to]).toEqual([at, endedAt]);
          expect(spans.slice(1).map(({ from }) => from)).toEqual(spans.slice(0, -1).map(({ to }) => to));
          expect(spans.filter(({ from, to }) => to !== null && to < from)).toEqual([]);
        }
      }),
    );
  });

  it("of every timeline: keep their keys when entries are added", () => {
    fc.assert(
      fc.property(timelines, fc.nat(), (entries, cut) => {
        const before = toWaterfall(entries.slice(0, cut % (entries.length + 1)), executing).map(({ key }) => key);
        const after = toWaterfall(entries, executing).map(({ key }) => key);
        expect(after.slice(0, before.length)).toEqual(before);
      }),
    );
  });
});
