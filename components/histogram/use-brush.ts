"use client";

import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from "react";
import { type Frame, type BucketRange, moveHandle, rangeOfDrag, rangeOfTimes, timesOf } from "./buckets.ts";

export type Handle = "from" | "to";

interface Brushed {
  frame: Frame;
  since: string | null;
  until: string | null;
  onBrush: (times: { since: string | null; until: string | null }) => void;
}

const settleMs = 350;

/**
 * A time range that is selected by dragging over the plot, or by moving its ends with keys. `hovered` is the bucket
 * under the pointer.
 */
export function useBrush({ frame, since, until, onBrush }: Brushed) {
  const count = frame.buckets.length;
  const plot = useRef<HTMLDivElement>(null);
  const [draft, setDraft] = useState<BucketRange | null>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const chosen = draft ?? rangeOfTimes({ since, until }, frame);
  const commit = (range: BucketRange) => {
    setDraft(null);
    onBrush(timesOf(range, frame));
  };
  const dragging = useDrag({ plot, count, setDraft, setHovered, commit });
  const moveByKey = useHandleKeys({ range: chosen ?? { from: 0, to: count }, count, setDraft, commit });
  return { plot, chosen, hovered, dragging, moveByKey };
}

function useDrag({
  plot,
  count,
  setDraft,
  setHovered,
  commit,
}: {
  plot: RefObject<HTMLDivElement | null>;
  count: number;
  setDraft(range: BucketRange | null): void;
  setHovered(bucket: number | null): void;
  commit(range: BucketRange): void;
}) {
  const dragFrom = useRef<number | null>(null);
  const positionOf = (event: PointerEvent) => {
    const box = plot.current?.getBoundingClientRect();
    return box ? (event.clientX - box.left) / box.width : 0;
  };
  return {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      dragFrom.current = positionOf(event);
    },
    onPointerMove(event: PointerEvent) {
      const position = positionOf(event);
      setHovered(Math.min(count - 1, Math.max(0, Math.floor(position * count))));
      if (dragFrom.current !== null) setDraft(rangeOfDrag(dragFrom.current, position, count));
    },
    onPointerUp(event: PointerEvent) {
      const start = dragFrom.current;
      dragFrom.current = null;
      if (start !== null) commit(rangeOfDrag(start, positionOf(event), count));
    },
    onPointerCancel() {
      dragFrom.current = null;
      setDraft(null);
    },
    onPointerLeave: () => setHovered(null),
  };
}

/** Keys move a handle at once; the list follows after a pause. Esc clears the range. */
function useHandleKeys({
  range,
  count,
  setDraft,
  commit,
}: {
  range: BucketRange;
  count: number;
  setDraft(range: BucketRange): void;
  commit(range: BucketRange): void;
}) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const distances: Record<string, number> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -5,
    PageUp: 5,
    Home: -count,
    End: count,
  };
  return (event: KeyboardEvent, handle: Handle) => {
    const distance = distances[event.key];
    if (event.key !== "Escape" && distance === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    clearTimeout(timer.current);
    if (distance === undefined) return commit({ from: 0, to: count });
    const next = moveHandle(range, handle, distance, count);
    setDraft(next);
    timer.current = setTimeout(() => commit(next), settleMs);
  };
}
