import { expectedEnd, type WaterfallRow } from "./waterfall.ts";
import { formatDuration } from "../../../server/shared/format.ts";

/** A section of the axis. A gap is drawn shorter than to scale, with a broken-axis mark and its real duration. */
export interface Piece {
  from: number;
  to: number;
  /** Shares of the width, 0 to 1. */
  start: number;
  end: number;
  isGap: boolean;
}

export interface TimeScale {
  from: number;
  to: number;
  pieces: Piece[];
  /** The position of a time, 0 to 1. */
  position(at: number): number;
}

export interface Tick {
  at: number;
  position: number;
  /** Time since the run was created; after a gap, since the end of the gap: `+20 ms`. */
  label: string;
}

const minGapMs = 500;
/** An idle section is a gap when it is this many times longer than everything that stays to scale. */
const gapFactor = 8;

/**
 * The axis of a run: to scale while code runs, broken at long idle times (a sleep of days next to steps of
 * milliseconds). `now`: the end of what is in progress.
 */
export function timeScale(rows: readonly WaterfallRow[], now: number): TimeScale {
  const { from, to } = rangeOf(rows, now);
  const sections = cutSections({ rows, from, to, now });
  const pieces = layOut(sections, findGaps(sections));
  return { from, to, pieces, position: (at) => positionOf(pieces, at) };
}

interface Section {
  from: number;
  to: number;
  isIdle: boolean;
}

function rangeOf(rows: readonly WaterfallRow[], now: number): { from: number; to: number } {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const row of rows) {
    from = Math.min(from, row.at);
    to = Math.max(to, row.at, row.endedAt ?? Math.max(now, expectedEnd(row) ?? now));
  }
  if (from > to) return { from: now, to: now + 1 };
  return { from, to: Math.max(to, from + 1) };
}

/** The range, cut where something starts or ends (but not at `now`, which moves, unless a call is open). */
function cutSections({
  rows,
  from: start,
  to: end,
  now,
}: {
  rows: readonly WaterfallRow[];
  from: number;
  to: number;
  now: number;
}): Section[] {
  const cuts = new Set([start, end]);
  const busy: { from: number; to: number }[] = [];
  for (const row of rows) {
    cuts.add(row.at);
    if (row.endedAt !== null) cuts.add(row.endedAt);
    else cuts.add(expectedEnd(row) ?? start);
    for (const span of row.spans) {
      // Calls that overlap are compared by their length.
      if (span.look === "busy" || span.look === "call") busy.push({ from: span.from, to: span.to ?? now });
      cuts.add(span.from);
      if (span.to !== null) cuts.add(span.to);
      // What is still to come, beside an open call, is idle.
      else if (span.look === "call") cuts.add(now);
    }
  }
  const sorted = [...cuts].filter((cut) => cut >= start && cut <= end).sort((a, b) => a - b);
  const covered = mergeRanges(busy);
  return sorted.slice(1).map((to, index) => {
    const from = sorted[index] ?? start;
    return { from, to, isIdle: !overlapsAny(covered, from, to) };
  });
}

function mergeRanges(ranges: { from: number; to: number }[]): { from: number; to: number }[] {
  const merged: { from: number; to: number }[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && range.from <= last.to) last.to = Math.max(last.to, range.to);
    else merged.push({ ...range });
  }
  return merged;
}

/** Binary search: a run of thousands of steps calls this thousands of times. */
function overlapsAny(merged: readonly { from: number; to: number }[], from: number, to: number): boolean {
  let low = 0;
  let high = merged.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((merged[middle]?.to ?? 0) <= from) low = middle + 1;
    else high = middle;
  }
  const range = merged[low];
  return range !== undefined && range.from < to;
}

function findGaps(sections: readonly Section[]): ReadonlySet<Section> {
  const lengthOf = (section: Section) => section.to - section.from;
  const idle = sections.filter(({ isIdle }) => isIdle).sort((a, b) => lengthOf(a) - lengthOf(b));
  let toScaleMs = sections.reduce((sum, section) => sum + (section.isIdle ? 0 : lengthOf(section)), 0);
  for (const [index, section] of idle.entries()) {
    const isLong = lengthOf(section) >= minGapMs && lengthOf(section) > gapFactor * toScaleMs;
    if (isLong && toScaleMs > 0) return new Set(idle.slice(index));
    toScaleMs += lengthOf(section);
  }
  return new Set();
}

/** Gaps share at most half of the width; longer gaps are slightly wider. */
function layOut(sections: readonly Section[], gaps: ReadonlySet<Section>): Piece[] {
  const shortest = Math.min(...[...gaps].map(({ from, to }) => to - from));
  const weightOf = ({ from, to }: Section) => 1 + Math.min(1, Math.log10((to - from) / shortest) / 2);
  const weights = [...gaps].reduce((sum, gap) => sum + weightOf(gap), 0);
  const gapShare = Math.min(0.5, weights * 0.1);
  const toScaleMs = sections.reduce((sum, section) => sum + (gaps.has(section) ? 0 : section.to - section.from), 0);
  const pieces: Piece[] = [];
  let start = 0;
  for (const section of sections) {
    const isGap = gaps.has(section);
    const share = isGap
      ? (gapShare * weightOf(section)) / weights
      : ((1 - gapShare) * (section.to - section.from)) / toScaleMs;
    const end = Math.min(1, start + share);
    const last = pieces.at(-1);
    if (last && !last.isGap && !isGap) Object.assign(last, { to: section.to, end });
    else pieces.push({ from: section.from, to: section.to, start, end, isGap });
    start = end;
  }
  const last = pieces.at(-1);
  if (last) last.end = 1;
  return pieces;
}

function positionOf(pieces: readonly Piece[], at: number): number {
  const first = pieces[0];
  if (!first || at <= first.from) return 0;
  const piece = pieces.find(({ to }) => at <= to);
  if (!piece) return 1;
  return piece.start + ((at - piece.from) / (piece.to - piece.from)) * (piece.end - piece.start);
}

const minDistance = 0.075;

/** Round times on the parts that are to scale. */
export function ticksOf(scale: TimeScale): Tick[] {
  const linear = scale.pieces.filter(({ isGap }) => !isGap);
  const ms = linear.reduce((sum, { from, to }) => sum + to - from, 0);
  const share = linear.reduce((sum, { start, end }) => sum + end - start, 0);
  const stepMs = roundUp((ms / share) * 0.1);
  const ticks: Tick[] = [];
  for (const piece of linear) {
    for (let at = piece.from; at <= piece.to; at += stepMs) {
      const position = positionOf(scale.pieces, at);
      const before = ticks.at(-1)?.position ?? -1;
      if (position - before < minDistance || position > 1 - minDistance / 2) continue;
      ticks.push({ at, position, label: tickLabel(at, piece, scale) });
    }
  }
  return ticks;
}

function tickLabel(at: number, piece: Piece, scale: TimeScale): string {
  if (at === scale.from) return "0";
  const isBehindGap = piece.from > scale.from;
  return isBehindGap && at > piece.from ? `+${formatDuration(at - piece.from)}` : formatDuration(at - scale.from);
}

const minuteMs = 60_000;
const coarseSteps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440].map((minutes) => minutes * minuteMs);

/** 1, 2 or 5 times a power of ten, and whole parts of minutes, hours and days above ten seconds. */
function roundUp(ms: number): number {
  if (ms <= 20_000) {
    const power = 10 ** Math.floor(Math.log10(Math.max(ms, 0.1)));
    return ([1, 2, 5, 10].find((factor) => factor * power >= ms * 0.999) ?? 10) * power;
  }
  if (ms <= 30_000) return 30_000;
  const step = coarseSteps.find((coarse) => coarse >= ms);
  return step ?? Math.ceil(ms / (1440 * minuteMs)) * 1440 * minuteMs;
}
