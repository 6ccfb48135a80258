import type { DeliveryOutcome, VerdictOutcome } from "../../server/contract/delivery.ts";
import { isTimestamp } from "../../server/contract/list.ts";
import type { RunStatus } from "../../server/contract/run.ts";
import type { Histogram, Window } from "../../server/contract/traffic.ts";
import { deliveryOutcomes, runStatuses, type StatusStyle, type Tone, verdictOutcomes } from "../ui/statuses.ts";

export type Kind = DeliveryOutcome | VerdictOutcome | RunStatus;

/** The counts of each bucket. */
export type Counts = Pick<Histogram<Kind>, "kinds" | "buckets">;

const faces: Record<Kind, StatusStyle> = { ...deliveryOutcomes, ...verdictOutcomes, ...runStatuses };
const fills: Record<Tone, string> = {
  ok: "fill-ok",
  run: "fill-run",
  wait: "fill-wait",
  bad: "fill-bad",
  idle: "fill-idle",
};

export const styleOf = (kind: Kind): StatusStyle => faces[kind];
export const fillOf = (kind: Kind): string => fills[faces[kind].tone];

/** Of a plot of 100; a lower bar would be invisible. */
export const minBarHeight = 5;
const maxBarHeight = 96;

interface Bar {
  kind: Kind;
  /** From the top of the plot. */
  y: number;
  height: number;
}

/**
 * The stacked bars of a bucket. `top` is the count of the highest bucket. Every bar has a minimum height, which is
 * taken from the largest bar.
 */
export function barsOf({
  kinds,
  counts,
  top,
}: {
  kinds: readonly Kind[];
  counts: Counts["buckets"][number]["counts"];
  top: number;
}): Bar[] {
  const bars = kinds.flatMap((kind) =>
    counts[kind] ? [{ kind, height: Math.max(minBarHeight, (counts[kind] / top) * maxBarHeight) }] : [],
  );
  const excess = bars.reduce((sum, { height }) => sum + height, 0) - maxBarHeight;
  const largest = bars.reduce<(typeof bars)[number] | undefined>(
    (most, bar) => (most && most.height >= bar.height ? most : bar),
    undefined,
  );
  if (largest && excess > 0) largest.height -= excess;
  let y = 100;
  return bars.map(({ kind, height }) => ({ kind, height, y: (y -= height) }));
}

/** A range of buckets: `from` inclusive, `to` exclusive. */
export interface BucketRange {
  from: number;
  to: number;
}

export interface Frame {
  since: string;
  until: string;
  bucketMs: number;
  buckets: readonly { at: string }[];
}

/** The range between two positions of a drag, each from 0 to 1 across the plot. Includes every bucket that was touched. */
export function rangeOfDrag(one: number, two: number, count: number): BucketRange {
  const bucket = (position: number) => Math.min(count - 1, Math.max(0, Math.floor(position * count)));
  return { from: bucket(Math.min(one, two)), to: bucket(Math.max(one, two)) + 1 };
}

/** A handle moved by some buckets; at least one bucket stays between the two. */
export function moveHandle(range: BucketRange, handle: "from" | "to", distance: number, count: number): BucketRange {
  if (handle === "from") return { ...range, from: Math.max(0, Math.min(range.to - 1, range.from + distance)) };
  return { ...range, to: Math.min(count, Math.max(range.from + 1, range.to + distance)) };
}

/**
 * The times of a range. A range that reaches the end stays open there, so that it includes new deliveries. The full
 * range has no times.
 */
export function timesOf({ from, to }: BucketRange, frame: Frame): { since: string | null; until: string | null } {
  if (from <= 0 && to >= frame.buckets.length) return { since: null, until: null };
  return {
    since: frame.buckets[from]?.at ?? frame.since,
    until: to >= frame.buckets.length ? null : (frame.buckets[to]?.at ?? frame.until),
  };
}

/** The buckets that the times overlap; `null`: no times are chosen, or they are outside of the frame. */
export function rangeOfTimes(
  { since, until }: { since: string | null; until: string | null },
  frame: Frame,
): BucketRange | null {
  if (since === null && until === null) return null;
  const start = Date.parse(frame.since);
  const count = frame.buckets.length;
  const from = since === null ? 0 : Math.max(0, Math.floor((Date.parse(since) - start) / frame.bucketMs));
  const to = until === null ? count : Math.min(count, Math.ceil((Date.parse(until) - start) / frame.bucketMs));
  return from < to ? { from, to } : null;
}

export const windowMs: Record<Window, number> = {
  "15m": 900_000,
  "1h": 3_600_000,
  "24h": 86_400_000,
  "7d": 604_800_000,
};
export const windows = Object.keys(windowMs) as Window[];
const slackMs = 600_000;

const isReadable = (time: string | null) => time === null || isTimestamp(time);

/**
 * The period of the histogram of a list: the window that ends now, or a chosen range outside of it, with a margin of
 * half its length on each side. A time that cannot be read stays as it is: the server rejects it, as that of the list.
 */
export function frameOf(chart: {
  window: Window;
  now: number;
  since: string | null;
  until: string | null;
}): { window: Window } | { since: string; until?: string } {
  const { window, now, since, until } = chart;
  if (![since, until].every(isReadable)) return { since: since ?? until ?? "", ...(until === null ? {} : { until }) };
  const begins = now - windowMs[window];
  const isRecent =
    (since === null || Date.parse(since) >= begins - slackMs) && (until === null || Date.parse(until) >= begins);
  if (isRecent) return { window };
  const from = since === null ? Date.parse(until ?? "") - windowMs[window] : Date.parse(since);
  const to = until === null ? null : Date.parse(until);
  const margin = to === null ? 0 : Math.max(60_000, (to - from) / 2);
  return {
    since: new Date(from - margin).toISOString(),
    ...(to === null ? {} : { until: new Date(Math.max(to, from + 60_000) + margin).toISOString() }),
  };
}
