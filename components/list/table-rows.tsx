"use client";

import Link, { useLinkStatus } from "next/link";
import type { CSSProperties, MouseEvent, PointerEvent, ReactNode, Ref } from "react";
import { type Column, rowTracks, type Selection, shownFrom } from "./column.ts";

interface VirtualRowProps<Row> {
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
 * One row, covered by its link. Elements with their own click are above the link. Cells clip, and stay `static`, below
 * the link.
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
}: VirtualRowProps<Row>) {
  return (
    <div
      ref={measure}
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
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
              href={href}
              onPointerMove={showTitleBelow}
              prefetch={false}
              data-row-link=""
              aria-label={label}
              tabIndex={isTabStop ? 0 : -1}
              className="absolute inset-0 -outline-offset-2"
            >
              <PendingRow />
            </Link>
          )}
          <span aria-hidden className="w-[84px] shrink-0 text-xs text-ink-3 md:hidden">
            {column.name}
          </span>
          <div className="static min-w-0 flex-1 break-words md:max-h-10 md:overflow-hidden md:*:align-middle [&_:is(a,button,input,label):not([data-row-link])]:relative">
            {column.cell(row)}
          </div>
        </div>
      ))}
    </div>
  );
}

/** Pulses while the page of the row loads. */
function PendingRow() {
  return useLinkStatus().pending && <span className="absolute inset-0 animate-pulse bg-accent-soft opacity-60" />;
}

/** The link covers the cells, so it shows the tooltip of the text at the pointer. */
function showTitleBelow({ currentTarget: link, clientX, clientY }: PointerEvent<HTMLAnchorElement>): void {
  const below = document.elementsFromPoint(clientX, clientY).find((one) => one !== link && one.hasAttribute("title"));
  link.title = below?.getAttribute("title") ?? "";
}

interface SelectionBoxProps {
  label: string;
  state: "on" | "off" | "some";
  onToggle: (isRange: boolean) => void;
}

/** A checkbox with padding. A click with Shift selects a range from the last clicked one. */
export function SelectionBox({ label, state, onToggle }: SelectionBoxProps) {
  const onClick = (event: MouseEvent) => onToggle(event.shiftKey);
  return (
    <label className="relative -m-2 grid size-9 cursor-pointer place-items-center select-none">
      <input
        type="checkbox"
        aria-label={label}
        checked={state === "on"}
        ref={(input) => {
          if (input) input.indeterminate = state === "some";
        }}
        onClick={onClick}
        onChange={() => {}}
        className="size-4 cursor-pointer accent-(--accent)"
      />
    </label>
  );
}

/** The names of the columns, and the checkbox that selects all rows. */
export function HeadRow<Row>({
  columns,
  keys,
  selection,
}: {
  columns: readonly Column<Row>[];
  keys: readonly string[];
  selection: Selection | undefined;
}) {
  const chosen = selection ? keys.filter((key) => selection.selected.has(key)).length : 0;
  const state = chosen === 0 ? "off" : chosen === keys.length ? "on" : "some";
  return (
    <div
      role="rowgroup"
      className={`${selection ? "" : "max-md:sr-only"} md:sticky md:top-0 md:z-2 md:block md:bg-panel`}
    >
      <div
        role="row"
        aria-rowindex={1}
        className={`flex h-[34px] items-center gap-x-4 border-b px-4 md:grid ${rowTracks}`}
      >
        {selection && (
          <div role="columnheader" className="flex flex-1 items-center justify-between md:block">
            <span aria-hidden className="text-xs font-medium text-ink-3 md:hidden">
              Select all listed rows
            </span>
            <SelectionBox
              label="Select all listed rows"
              state={state}
              onToggle={() => selection.onChange(new Set(state === "on" ? [] : keys))}
            />
          </div>
        )}
        {columns.map((column) => (
          <div
            key={column.id}
            role="columnheader"
            className={`truncate text-xs font-medium text-ink-3 max-md:sr-only ${shownFrom(column)}`}
          >
            {column.name}
          </div>
        ))}
      </div>
    </div>
  );
}
