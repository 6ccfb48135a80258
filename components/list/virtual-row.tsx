"use client";

import Link from "next/link";
import { type CSSProperties, type MouseEvent, type ReactNode, type Ref, useRef } from "react";
import { type Column, rowTracks, shownFrom } from "./column.ts";

interface Props<Row> {
  row: Row;
  /** The index of the row in the list, from 0. */
  index: number;
  columns: readonly Column<Row>[];
  href: string;
  label: string;
  isTabStop: boolean;
  style: CSSProperties;
  measure: Ref<HTMLDivElement> | undefined;
  /** The checkbox of the row. */
  box: ReactNode;
  isSelected: boolean;
  /** The row was added while the list was visible. */
  hasArrived: boolean;
}

export const rowLinkSelector = "a[data-row-link]";

/**
 * One row, covered by its link. Elements with their own click or hover are above the link. Cells clip, and stay
 * `static`, below the link.
 */
export function VirtualRow<Row>({
  row,
  index,
  columns,
  href,
  label,
  isTabStop,
  style,
  measure,
  box,
  isSelected,
  hasArrived,
}: Props<Row>) {
  const link = useRef<HTMLAnchorElement>(null);
  const followLink = (event: MouseEvent) => {
    if (event.target instanceof Element && event.target.closest("a, button, input, label, select")) return;
    link.current?.dispatchEvent(
      new globalThis.MouseEvent("click", {
        bubbles: true,
        cancelable: true,
        ctrlKey: event.ctrlKey,
        metaKey: event.metaKey,
        shiftKey: event.shiftKey,
      }),
    );
  };
  return (
    // The link is accessible; this handler only extends it to text above the link that has a tooltip.
    <div
      ref={measure}
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      onClick={followLink}
      style={style}
      className={`absolute inset-x-0 top-0 grid gap-1 border-b px-4 py-3 hover:bg-sunken has-[a[data-row-link]:focus-visible]:bg-sunken md:h-11 ${rowTracks} md:items-center md:gap-x-4 md:py-0 ${isSelected ? "bg-sunken shadow-[inset_3px_0_0_var(--accent)]" : "bg-panel"} ${hasArrived ? "animate-arrive" : ""}`}
    >
      {box}
      {columns.map((column, at) => (
        <div
          key={column.id}
          role="cell"
          className={`${column.isHiddenNarrow ? "hidden" : "flex"} ${shownFrom(column)} min-w-0 items-baseline gap-3`}
        >
          {at === 0 && (
            <Link
              ref={link}
              href={href}
              prefetch={false}
              data-row-link=""
              aria-label={label}
              tabIndex={isTabStop ? 0 : -1}
              className="absolute inset-0 -outline-offset-2"
            />
          )}
          <span aria-hidden className="w-[84px] shrink-0 text-xs text-ink-3 md:hidden">
            {column.name}
          </span>
          <div className="static min-w-0 flex-1 break-words md:max-h-10 md:overflow-hidden md:*:align-middle [&_:is(a,button,input,label,[title]):not([data-row-link])]:relative">
            {column.cell(row)}
          </div>
        </div>
      ))}
    </div>
  );
}
