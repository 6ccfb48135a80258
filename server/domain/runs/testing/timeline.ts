import * as fc from "fast-check";
import type { TimelineEntry, TimelineKind } from "../../../contract/timeline.ts";

export const runStart = Date.parse("2026-11-21T14:00:00.000Z");
export const isoAt = (ms: number) => new Date(runStart + ms).toISOString();

type Event = [ms: number, kind: TimelineKind, rest?: Partial<TimelineEntry>];

/** A timeline from its events, with times in milliseconds after the run was created. */
export function timelineOf(...events: Event[]): TimelineEntry[] {
  return events.map(([ms, kind, rest], index) => ({
    id: index + 1,
    at: isoAt(ms),
    kind,
    attempt: 1,
    name: null,
    level: null,
    message: null,
    durationMs: null,
    until: null,
    error: null,
    data: null,
    ...rest,
  }));
}

/**
 * Timelines like those of the engine: attempts with steps, sleeps, logs and child runs, lost workers, retries, and an
 * optional end.
 */
export const timelines: fc.Arbitrary<TimelineEntry[]> = fc
  .record({
    steps: fc.array(
      fc.record({
        operation: fc.constantFrom(
          ...(["step", "failing", "sleep", "wait", "call", "open call", "start", "log", "lost", "cancel"] as const),
        ),
        ms: fc.integer({ min: 0, max: 3_000 }),
      }),
      { maxLength: 30 },
    ),
    longMs: fc.integer({ min: 1, max: 400 * 86_400_000 }),
    end: fc.constantFrom("completed", "failed", "canceled", "timed_out", "none"),
  })
  .map(({ steps, longMs, end }) => {
    const events: Event[] = [
      [0, "queued", { attempt: 0 }],
      [2, "attempt_started"],
    ];
    let at = 2;
    let attempt = 1;
    for (const [index, { operation, ms }] of steps.entries()) {
      const name = `${operation}-${index}`;
      const note = (afterMs: number, kind: TimelineKind, rest: Partial<TimelineEntry> = {}) =>
        events.push([(at += afterMs), kind, { attempt, name, ...rest }]);
      if (operation === "log") note(ms, "log", { name: null, level: "info", message: name });
      if (operation === "cancel") note(ms, "cancel_requested", { name: null });
      if (operation === "step") {
        note(ms, "step_started");
        note(ms, "step_completed", { durationMs: ms });
      }
      if (operation === "sleep") {
        note(1, "sleep_started", { until: isoAt(at + 1 + longMs) });
        note(longMs + 3, "resumed", { name: null });
        note(0, "sleep_finished");
      }
      if (operation === "wait") {
        const data = { deliveryId: "dlv_1", source: "shipped" };
        note(1, "wait_started", {
          until: isoAt(at + 1 + longMs),
          data: { events: [{ source: "shipped", match: {} }] },
        });
        note(longMs - 1, "wait_finished", { data });
        note(3, "resumed", { name: null });
      }
      if (operation === "call" || operation === "open call" || operation === "start") {
        const target = { kind: "workflow", slug: "charge" };
        note(ms, "child_started", { data: { runId: `run_${index}`, target, isAwaited: operation !== "start" } });
      }
      if (operation === "call") {
        note(longMs, "child_finished", { data: { runId: `run_${index}`, status: "completed" } });
        note(3, "resumed", { name: null });
      }
      if (operation === "lost") {
        note(ms, "step_started");
        note(ms, "worker_lost", { name: null });
        note(ms, "resumed", { name: null });
      }
      if (operation === "failing") {
        note(ms, "step_started");
        note(ms, "step_failed", { durationMs: ms });
        note(0, "attempt_failed", { name: null });
        note(0, "retry_scheduled", { name: null, until: isoAt(at + ms) });
        attempt += 1;
        note(ms + 2, "attempt_started", { name: null });
      }
    }
    if (end !== "none") events.push([at + 1, end, { attempt }]);
    return timelineOf(...events);
  });
