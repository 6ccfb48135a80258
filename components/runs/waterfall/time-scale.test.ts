import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isoAt, runStart, timelineOf, timelines } from "../../../server/domain/runs/testing/timeline.ts";
import { ticksOf, timeScale } from "./time-scale.ts";
import { toWaterfall } from "./waterfall.ts";

const dayMs = 86_400_000;
const scaleOf = (entries: ReturnType<typeof timelineOf>, nowMs = 0) =>
  timeScale(toWaterfall(entries, { isExecuting: false }), runStart + nowMs);
const gapsOf = (scale: ReturnType<typeof timeScale>) =>
  scale.pieces.filter(({ isGap }) => isGap).map(({ from, to }) => [from - runStart, to - runStart]);

const call = (name: string) => ({
  name,
  data: { runId: name, target: { kind: "workflow", slug: "charge" }, isAwaited: true },
});
const end = (name: string) => ({ name, data: { runId: name, status: "completed" } });

describe("the axis", () => {
  it("is to scale if waits are as long as the work", () => {
    const scale = scaleOf(
      timelineOf(
        [0, "queued"],
        [0, "attempt_started"],
        [1000, "attempt_failed"],
        [1000, "retry_scheduled", { until: isoAt(2000) }],
        [2000, "attempt_started", { attempt: 2 }],
        [4000, "completed"],
      ),
    );
    expect(gapsOf(scale)).toEqual([]);
    expect(scale.position(runStart + 1000)).toBeCloseTo(0.25);
    expect(scale.position(runStart + 3000)).toBeCloseTo(0.75);
  });

  it("is to scale while child runs are executed, so that calls can be compared", () => {
    const scale = scaleOf(
      timelineOf(
        [0, "attempt_started"],
        [0, "child_started", call("a")],
        [0, "child_started", call("b")],
        [2000, "child_finished", end("a")],
        [10_000, "child_finished", end("b")],
        [10_000, "completed"],
      ),
    );
    expect(gapsOf(scale)).toEqual([]);
    expect(scale.position(runStart + 2000)).toBeCloseTo(0.2);
    const open = timelineOf([0, "attempt_started"], [0, "child_started", { ...call("a"), until: isoAt(dayMs) }]);
    expect(scaleOf(open, 3000).to).toBe(runStart + 3000);
    const raced = [...open, ...timelineOf([0, "sleep_started", { name: "limit", until: isoAt(dayMs) }])];
    expect(gapsOf(scaleOf(raced, 3000))).toEqual([[3000, dayMs]]);
  });

  it("is broken if a run slept for days between milliseconds of work, which stay wide", () => {
    const scale = scaleOf(
      timelineOf(
        [0, "queued"],
        [1, "attempt_started"],
        [21, "sleep_started", { name: "a", until: isoAt(3 * dayMs) }],
        [3 * dayMs, "resumed"],
        [3 * dayMs, "sleep_finished", { name: "a" }],
        [3 * dayMs + 20, "completed"],
      ),
    );
    expect(gapsOf(scale)).toEqual([[21, 3 * dayMs]]);
    expect(scale.position(runStart + 21)).toBeGreaterThan(0.4);
    expect(1 - scale.position(runStart + 3 * dayMs)).toBeGreaterThan(0.4);
  });

  it("is never broken while code runs", () => {
    const scale = scaleOf(
      timelineOf(
        [0, "queued"],
        [1, "attempt_started"],
        [2, "step_started", { name: "a" }],
        [dayMs, "step_completed", { name: "a" }],
        [dayMs + 1, "completed"],
      ),
    );
    expect(gapsOf(scale)).toEqual([]);
  });

  it("includes the end of an open sleep, and does not change while the time passes", () => {
    const entries = timelineOf(
      [0, "queued"],
      [1, "attempt_started"],
      [5, "sleep_started", { name: "a", until: isoAt(dayMs) }],
    );
    const [early, late] = [scaleOf(entries, 100), scaleOf(entries, dayMs / 2)];
    expect(early.to).toBe(runStart + dayMs);
    expect(early.pieces).toEqual(late.pieces);
    expect(early.position(runStart + dayMs / 2)).toBeGreaterThan(early.position(runStart + 100));
  });

  it("ends now if an open row has no known end", () => {
    expect(
      timeScale(toWaterfall(timelineOf([0, "queued"], [1, "attempt_started"]), { isExecuting: true }), runStart + 700)
        .to,
    ).toBe(runStart + 700);
  });

  it("has a width without any entries", () => {
    const scale = timeScale([], runStart);
    expect([scale.position(runStart), scale.position(runStart + 1)]).toEqual([0, 1]);
  });

  it("has ticks at round times, relative to the end of a gap after it", () => {
    const scale = scaleOf(
      timelineOf(
        [0, "queued"],
        [0, "attempt_started"],
        [20, "sleep_started", { name: "a", until: isoAt(dayMs) }],
        [dayMs, "resumed"],
        [dayMs, "sleep_finished", { name: "a" }],
        [dayMs + 20, "completed"],
      ),
    );
    expect(ticksOf(scale).map(({ label }) => label)).toEqual([
      "0",
      "5 ms",
      "10 ms",
      "15 ms",
      "20 ms",
      "1 d",
      "+5 ms",
      "+10 ms",
      "+15 ms",
    ]);
  });

  it("of every timeline: runs from 0 to 1 and never backwards, and each gap was idle and is drawn shorter than the rest", () => {
    fc.assert(
      fc.property(timelines, fc.nat({ max: 500 * dayMs }), (entries, afterMs) => {
        const rows = toWaterfall(entries, { isExecuting: false });
        const now = Date.parse(entries.at(-1)?.at ?? isoAt(0)) + afterMs;
        const scale = timeScale(rows, now);
        expect([scale.position(scale.from), scale.position(scale.to)]).toEqual([0, 1]);
        const instants = [...rows.flatMap(({ at, endedAt }) => [at, endedAt ?? now]), now].sort((a, b) => a - b);
        const positions = instants.map((at) => scale.position(at));
        expect(positions.every((position) => position >= 0 && position <= 1)).toBe(true);
        expect(positions).toEqual(positions.toSorted((a, b) => a - b));
        const widthOfMs = ({ from, to, start, end }: (typeof scale.pieces)[number]) => (end - start) / (to - from);
        const [toScale] = scale.pieces.filter(({ isGap }) => !isGap);
        for (const gap of scale.pieces.filter(({ isGap }) => isGap)) {
          expect(widthOfMs(gap)).toBeLessThan(toScale ? widthOfMs(toScale) : 0);
          const busy = rows
            .flatMap(({ spans }) => spans)
            .filter(({ look, from, to }) => look === "busy" && from < gap.to && (to ?? now) > gap.from);
          expect(busy).toEqual([]);
        }
      }),
    );
  });

  it("of every timeline: keeps one scale outside of gaps, and its pieces follow each other", () => {
    fc.assert(
      fc.property(timelines, (entries) => {
        const { pieces } = timeScale(
          toWaterfall(entries, { isExecuting: false }),
          Date.parse(entries.at(-1)?.at ?? isoAt(0)),
        );
        const linear = pieces.filter(({ isGap }) => !isGap);
        const scales = linear.map(({ from, to, start, end }) => (end - start) / (to - from));
        for (const scale of scales) expect(Math.abs(scale / (scales[0] ?? scale) - 1)).toBeLessThan(1e-6);
        expect(pieces.slice(1).map(({ from, start }) => [from, start])).toEqual(
          pieces.slice(0, -1).map(({ to, end }) => [to, end]),
        );
      }),
    );
  });

  it("of every timeline: has few ticks, in order and apart", () => {
    fc.assert(
      fc.property(timelines, (entries) => {
        const positions = ticksOf(
          timeScale(toWaterfall(entries, { isExecuting: false }), Date.parse(entries.at(-1)?.at ?? isoAt(0))),
        ).map(({ position }) => position);
        expect(positions.length).toBeLessThanOrEqual(14);
        expect(positions.slice(1).filter((position, index) => position - (positions[index] ?? 0) < 0.07)).toEqual([]);
      }),
    );
  });
});
