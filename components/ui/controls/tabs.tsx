"use client";

import { Tabs as Radix } from "radix-ui";
import { type ReactNode, useEffect, useRef } from "react";

export interface Tab {
  id: string;
  label: string;
  /** A short note next to the label, for example a count. */
  note?: string;
}

/** The selected tab is at least this far from the ends of a row that is too narrow for all tabs, px. */
const tabMargin = 16;

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
  const current = tabs.find(({ id }) => id === selected) ?? tabs[0];
  const list = useRef<HTMLDivElement>(null);
  const currentId = current?.id;
  useEffect(() => {
    // Not `scrollIntoView`: it scrolls everything around the row as well.
    const row = list.current;
    const tab = row?.querySelector<HTMLElement>("[aria-selected=true]");
    if (currentId === undefined || !row || !tab) return;
    const { left, right } = tab.getBoundingClientRect();
    const frame = row.getBoundingClientRect();
    if (right > frame.right - tabMargin) row.scrollLeft += right - frame.right + tabMargin;
    if (left < frame.left + tabMargin) row.scrollLeft += left - frame.left - tabMargin;
  }, [currentId]);
  if (!current) return null;
  return (
    <Radix.Root value={current.id} onValueChange={onSelect} className="flex min-h-0 min-w-0 flex-1 flex-col">
      <Radix.List
        ref={list}
        aria-label={label}
        className="flex shrink-0 gap-4 overflow-x-auto border-b px-4 [scrollbar-width:none] in-[aside]:px-[18px]"
      >
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.id}
            value={tab.id}
            className="flex h-9 shrink-0 cursor-pointer items-center gap-1.5 border-b-2 border-transparent font-[550] whitespace-nowrap text-ink-3 -outline-offset-2 hover:text-ink aria-selected:border-accent aria-selected:text-ink"
          >
            {tab.label}
            {tab.note !== undefined && <span className="text-xs font-normal text-ink-3 tabular-nums">{tab.note}</span>}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {/* Its content is focusable, so the panel itself is no tab stop. */}
      <Radix.Content value={current.id} tabIndex={undefined} className="flex min-h-0 min-w-0 flex-1 flex-col">
        {children}
      </Radix.Content>
    </Radix.Root>
  );
}
