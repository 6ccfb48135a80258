"use client";

import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";

export interface Tab {
  id: string;
  label: string;
  /** A short note next to the label, for example a count. */
  note?: string;
}

/** A row of tabs and the panel of the selected one (`children`). Arrow keys, Home and End move between them. */
export function Tabs({
  label,
  tabs,
  selected,
  onSelect,
  children,
}: {
  label: string;
  tabs: readonly Tab[];
  selected: string;
  onSelect: (id: string) => void;
  children: ReactNode;
}) {
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const at = Math.max(
    0,
    tabs.findIndex((tab) => tab.id === selected),
  );
  const current = tabs[at];
  const onKeyDown = (event: KeyboardEvent) => {
    const next = neighbour(event.key, at, tabs.length);
    const tab = next === null ? undefined : tabs[next];
    if (next === null || !tab) return;
    event.preventDefault();
    onSelect(tab.id);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  return (
    <>
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        onKeyDown={onKeyDown}
        className="flex shrink-0 gap-4 overflow-x-auto border-b [scrollbar-width:none]"
      >
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${base}-${tab.id}`}
            aria-selected={tab.id === current?.id}
            aria-controls={`${base}-panel`}
            tabIndex={tab.id === current?.id ? 0 : -1}
            onClick={() => onSelect(tab.id)}
            className="flex h-9 shrink-0 cursor-pointer items-center gap-1.5 border-b-2 border-transparent font-[550] whitespace-nowrap text-ink-3 -outline-offset-2 hover:text-ink aria-selected:border-accent aria-selected:text-ink"
          >
            {tab.label}
            {tab.note !== undefined && <span className="text-xs font-normal text-ink-3 tabular-nums">{tab.note}</span>}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${base}-panel`}
        aria-labelledby={current && `${base}-${current.id}`}
        className="flex min-h-0 min-w-0 flex-1 flex-col"
      >
        {children}
      </div>
    </>
  );
}

function neighbour(key: string, at: number, length: number): number | null {
  if (key === "ArrowRight") return (at + 1) % length;
  if (key === "ArrowLeft") return (at + length - 1) % length;
  if (key === "Home") return 0;
  if (key === "End") return length - 1;
  return null;
}
