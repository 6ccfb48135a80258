"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useEffectEvent } from "react";
import type { Jump } from "./use-json-tree.ts";

interface LinesProps {
  shown: readonly number[];
  row(line: number): ReactNode;
  jump: Jump | null;
  /** The scroll container; `null` before it is mounted. Not a ref, because it mounts after the first effects here. */
  box: HTMLDivElement | null;
}

/** Renders every line. */
export function AllLines({ shown, row, jump, box }: LinesProps) {
  useEffect(() => {
    const line = jump && box?.querySelector<HTMLElement>(`[data-line="${jump.line}"]`);
    if (!box || !line) return;
    // Scrolls only this container, and only if needed.
    const top = line.getBoundingClientRect().top - box.getBoundingClientRect().top;
    if (top < 0 || top + line.offsetHeight > box.clientHeight) box.scrollBy({ top: top - box.clientHeight / 2 });
  }, [jump, box]);
  return shown.map(row);
}

/** Renders only the visible lines of a long text, and some around them. */
export function WindowedLines({ shown, row, jump, box }: LinesProps) {
  // oxlint-disable-next-line react/incompatible-library -- nothing of the virtualizer is handed on
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box,
    estimateSize: () => 20,
    getItemKey: (index) => shown[index] ?? index,
    overscan: 30,
  });
  const scrollTo = useEffectEvent((line: number) => {
    const index = shown.indexOf(line);
    const isInView = virtualizer
      .getVirtualItems()
      .some(
        (item) =>
          item.index === index &&
          item.start >= (virtualizer.scrollOffset ?? 0) &&
          item.end <= (virtualizer.scrollOffset ?? 0) + (virtualizer.scrollRect?.height ?? 0),
      );
    if (!isInView) virtualizer.scrollToIndex(index, { align: "center" });
  });
  useEffect(() => {
    if (jump && box) scrollTo(jump.line);
  }, [jump, box]);
  return (
    <div role="presentation" className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map((item) => (
        <div
          key={item.key}
          ref={virtualizer.measureElement}
          data-index={item.index}
          role="presentation"
          className="absolute inset-x-0 top-0"
          style={{ transform: `translateY(${item.start}px)` }}
        >
          {row(shown[item.index] ?? -1)}
        </div>
      ))}
    </div>
  );
}
