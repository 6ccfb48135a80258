"use client";

import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import type { DeliveryOutcome } from "../../../server/contract/delivery.ts";
import { deliveryOutcomes } from "../../ui/statuses.ts";
import { formatDuration } from "../../ui/time.ts";
import { useIsHydrated } from "../../ui/use-now.ts";
import { type Frame, type Stretch, moveHandle, stretchOfDrag, stretchOfTimes, timesOf } from "./brush.ts";
import { clockOf } from "./clock-of.ts";

export type HistogramBucket = { at: string } & Record<DeliveryOutcome, number>;

interface Props {
  frame: Omit<Frame, "buckets"> & { buckets: readonly HistogramBucket[] };
  since: string | null;
  until: string | null;
  onBrush: (times: { since: string | null; until: string | null }) => void;
}

/** From the ground up. */
const order: readonly DeliveryOutcome[] = ["accepted", "skipped", "repeated", "rejected"];
const fills: Record<DeliveryOutcome, string> = { accepted: "fill-ok", skipped: "fill-idle", repeated: "fill-wait", rejected: "fill-bad" };
const settleMs = 350;

/** Deliveries over time by outcome. A stretch of time is chosen by dragging, or by moving its two ends with the arrow keys; Esc takes it back. */
export function Histogram({ frame, since, until, onBrush }: Props) {
  const count = frame.buckets.length;
  const plot = useRef<HTMLDivElement>(null);
  const dragFrom = useRef<number | null>(null);
  const [draft, setDraft] = useState<Stretch | null>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const isHydrated = useIsHydrated();
  const chosen = draft ?? stretchOfTimes({ since, until }, frame);
  const commit = (stretch: Stretch) => {
    setDraft(null);
    onBrush(timesOf(stretch, frame));
  };
  const placeOf = (event: PointerEvent) => {
    const box = plot.current?.getBoundingClientRect();
    return box ? (event.clientX - box.left) / box.width : 0;
  };
  const { moveByKey } = useHandleKeys({ stretch: chosen ?? { from: 0, to: count }, count, setDraft, commit, clear: () => commit({ from: 0, to: count }) });
  const top = Math.max(1, ...frame.buckets.map(totalOf));
  const bucket = hovered === null ? undefined : frame.buckets[hovered];
  return (
    <div className="px-4 pt-3 pb-2">
      <div
        ref={plot}
        role="group"
        aria-label={`Deliveries from ${clockOf(frame.since, frame)} to ${clockOf(frame.until, frame)} UTC`}
        className="relative h-16 cursor-crosshair touch-pan-y select-none"
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          dragFrom.current = placeOf(event);
        }}
        onPointerMove={(event) => {
          const place = placeOf(event);
          setHovered(Math.min(count - 1, Math.max(0, Math.floor(place * count))));
          if (dragFrom.current !== null) setDraft(stretchOfDrag(dragFrom.current, place, count));
        }}
        onPointerUp={(event) => {
          const start = dragFrom.current;
          dragFrom.current = null;
          if (start !== null) commit(stretchOfDrag(start, placeOf(event), count));
        }}
        onPointerCancel={() => {
          dragFrom.current = null;
          setDraft(null);
        }}
        onPointerLeave={() => setHovered(null)}
      >
        <svg aria-hidden viewBox={`0 0 ${count} 100`} preserveAspectRatio="none" className="absolute inset-0 h-full w-full">
          {frame.buckets.map((bucket, index) => (
            <Bar key={bucket.at} bucket={bucket} x={index} top={top} isFaded={chosen !== null && (index < chosen.from || index >= chosen.to)} />
          ))}
        </svg>
        <span aria-hidden className="absolute inset-x-0 bottom-0 border-b border-line-strong" />
        {chosen && <span aria-hidden className="pointer-events-none absolute inset-y-0 border-x border-accent bg-accent-soft opacity-40" style={{ left: `${(chosen.from / count) * 100}%`, right: `${100 - (chosen.to / count) * 100}%` }} />}
        {(["from", "to"] as const).map((handle) => {
          const place = (chosen ?? { from: 0, to: count })[handle];
          return (
            <span
              key={handle}
              role="slider"
              tabIndex={0}
              aria-label={handle === "from" ? "From" : "Until"}
              aria-valuemin={0}
              aria-valuemax={count}
              aria-valuenow={place}
              aria-valuetext={place >= count ? "now" : `${clockOf(frame.buckets[place]?.at ?? frame.until, frame)} UTC`}
              onKeyDown={(event) => moveByKey(event, handle)}
              className={`absolute inset-y-0 w-2 -translate-x-1/2 cursor-ew-resize rounded-s ${chosen ? "" : "opacity-0 focus-visible:opacity-100"}`}
              style={{ left: `${(place / count) * 100}%` }}
            >
              <span aria-hidden className="absolute top-1/2 left-1/2 h-5 w-1 -translate-1/2 rounded-full bg-accent" />
            </span>
          );
        })}
      </div>
      <div className="mt-1 flex justify-between gap-3 text-xs text-ink-3 tabular-nums">
        <span>{clockOf(frame.since, frame, isHydrated)}</span>
        <span className="truncate text-ink-2">{bucket && bucketWords(bucket, frame, isHydrated)}</span>
        <span>{clockOf(frame.until, frame, isHydrated)}</span>
      </div>
    </div>
  );
}

function Bar({ bucket, x, top, isFaded }: { bucket: HistogramBucket; x: number; top: number; isFaded: boolean }) {
  const heightOf = (outcomes: readonly DeliveryOutcome[]) => (outcomes.reduce((sum, outcome) => sum + bucket[outcome], 0) / top) * 96;
  return (
    <g opacity={isFaded ? 0.35 : 1}>
      {order.map((outcome, index) => (
        <rect key={outcome} x={x + 0.1} width={0.8} y={100 - heightOf(order.slice(0, index + 1))} height={heightOf([outcome])} className={fills[outcome]} />
      ))}
    </g>
  );
}

/** Keys move a handle at once; the list follows when they rest. */
function useHandleKeys({ stretch, count, setDraft, commit, clear }: { stretch: Stretch; count: number; setDraft(stretch: Stretch): void; commit(stretch: Stretch): void; clear(): void }) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const distances: Record<string, number> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -5, PageUp: 5, Home: -count, End: count };
  const moveByKey = (event: KeyboardEvent, handle: "from" | "to") => {
    const distance = distances[event.key];
    if (event.key !== "Escape" && distance === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    clearTimeout(timer.current);
    if (distance === undefined) return clear();
    const next = moveHandle(stretch, handle, distance, count);
    setDraft(next);
    timer.current = setTimeout(() => commit(next), settleMs);
  };
  return { moveByKey };
}

function totalOf(bucket: HistogramBucket): number {
  return order.reduce((sum, outcome) => sum + bucket[outcome], 0);
}

function bucketWords(bucket: HistogramBucket, frame: Frame, isLocal: boolean): string {
  const counts = order.filter((outcome) => bucket[outcome] > 0).map((outcome) => `${bucket[outcome]} ${deliveryOutcomes[outcome].label}`);
  return `${clockOf(bucket.at, frame, isLocal)}, ${formatDuration(frame.bucketMs)}: ${counts.length === 0 ? "none" : counts.join(", ")}`;
}
