"use client";

import type { KeyboardEvent } from "react";
import { formatAxisTime, formatDuration, formatNumber } from "../../server/shared/format.ts";
import { useIsHydrated } from "../ui/browser.ts";
import { barsOf, type Counts, fillOf, styleOf, type Frame, type Kind } from "./buckets.ts";
import { type Handle, useBrush } from "./use-brush.ts";

const dayMs = 86_400_000;

type Bucket = Counts["buckets"][number];

interface Props {
  label: string;
  frame: Omit<Frame, "buckets"> & Counts;
  since: string | null;
  until: string | null;
  onBrush: (times: { since: string | null; until: string | null }) => void;
}

/**
 * Counts over time by category. Drag to select a time range, or move its two ends
 * with the arrow keys. Esc clears the selection.
 */
export function Histogram(props: Props) {
  const { frame } = props;
  const { plot, chosen, hovered, dragging, moveByKey } = useBrush(props);
  const count = frame.buckets.length;
  const isHydrated = useIsHydrated();
  const top = Math.max(
    1,
    ...frame.buckets.map(({ counts }) => frame.kinds.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0)),
  );
  const bucket = hovered === null ? undefined : frame.buckets[hovered];
  const { from, to } = chosen ?? { from: 0, to: count };
  return (
    <div className="px-4 pt-3 pb-2">
      <div
        ref={plot}
        role="group"
        aria-label={`${props.label} from ${timeText(frame.since, frame)} to ${timeText(frame.until, frame)} UTC`}
        className="relative h-16 cursor-crosshair touch-pan-y select-none"
        {...dragging}
      >
        <svg
          aria-hidden
          viewBox={`0 0 ${count} 100`}
          preserveAspectRatio="none"
          className="absolute inset-0 h-full w-full"
        >
          {frame.buckets.map((bucket, index) => (
            <Bars
              key={bucket.at}
              kinds={frame.kinds}
              bucket={bucket}
              x={index}
              top={top}
              isFaded={index < from || index >= to}
            />
          ))}
        </svg>
        <span aria-hidden className="absolute inset-x-0 bottom-0 border-b border-line-strong" />
        {chosen && (
          <span
            aria-hidden
            className="pointer-events-none absolute inset-y-0 border-x border-accent bg-accent-soft opacity-40"
            style={{ left: `${(from / count) * 100}%`, right: `${100 - (to / count) * 100}%` }}
          />
        )}
        <RangeEnd handle="from" position={from} frame={frame} isChosen={chosen !== null} onKeyDown={moveByKey} />
        <RangeEnd handle="to" position={to} frame={frame} isChosen={chosen !== null} onKeyDown={moveByKey} />
      </div>
      <div className="mt-1 flex justify-between gap-3 text-xs text-ink-3 tabular-nums">
        <span>{timeText(frame.since, frame, isHydrated)}</span>
        <span className="truncate text-ink-2">{bucket && bucketText(bucket, frame, isHydrated)}</span>
        <span>{timeText(frame.until, frame, isHydrated)}</span>
      </div>
    </div>
  );
}

/** One end of the range: a slider, invisible until a range is selected or the slider has the focus. */
function RangeEnd({
  handle,
  position,
  frame,
  isChosen,
  onKeyDown,
}: {
  handle: Handle;
  position: number;
  frame: Frame;
  isChosen: boolean;
  onKeyDown: (event: KeyboardEvent, handle: Handle) => void;
}) {
  const count = frame.buckets.length;
  return (
    <span
      role="slider"
      tabIndex={0}
      aria-label={handle === "from" ? "From" : "Until"}
      aria-valuemin={0}
      aria-valuemax={count}
      aria-valuenow={position}
      aria-valuetext={position >= count ? "now" : `${timeText(frame.buckets[position]?.at ?? frame.until, frame)} UTC`}
      onKeyDown={(event) => onKeyDown(event, handle)}
      className={`absolute inset-y-0 w-2 -translate-x-1/2 cursor-ew-resize rounded-s ${isChosen ? "" : "opacity-0 focus-visible:opacity-100"}`}
      style={{ left: `${(position / count) * 100}%` }}
    >
      <span aria-hidden className="absolute top-1/2 left-1/2 h-5 w-1 -translate-1/2 rounded-full bg-accent" />
    </span>
  );
}

function Bars({
  kinds,
  bucket,
  x,
  top,
  isFaded,
}: {
  kinds: readonly Kind[];
  bucket: Bucket;
  x: number;
  top: number;
  isFaded: boolean;
}) {
  return (
    <g opacity={isFaded ? 0.35 : 1}>
      {barsOf({ kinds, counts: bucket.counts, top }).map(({ kind, y, height }) => (
        <rect key={kind} x={x + 0.1} width={0.8} y={y} height={height} className={fillOf(kind)} />
      ))}
    </g>
  );
}

function bucketText({ at, counts }: Bucket, frame: Props["frame"], isLocal: boolean): string {
  const parts = frame.kinds
    .filter((kind) => counts[kind])
    .map((kind) => `${formatNumber(counts[kind] ?? 0)} ${styleOf(kind).label}`);
  return `${timeText(at, frame, isLocal)}, ${formatDuration(frame.bucketMs)}: ${parts.length === 0 ? "none" : parts.join(", ")}`;
}

/** A time of the frame in UTC, or in the reader's time zone. With the date if the frame spans days. */
function timeText(iso: string, frame: { since: string; until: string }, isLocal = false): string {
  const spansDays = Date.parse(frame.until) - Date.parse(frame.since) > dayMs / 2;
  return formatAxisTime(iso, { spansDays, timeZone: isLocal ? undefined : "UTC" });
}
