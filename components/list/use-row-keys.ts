"use client";

import type { Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useRef, useState } from "react";
import { hasSingleKeys } from "../ui/shortcuts.ts";
import { isFocusLost, isTyping } from "../ui/focus.ts";
import { rememberPosition, returnPosition, topInPage } from "../ui/page-scroll.tsx";
import { coveredPx } from "./use-reading.ts";
import { rowLinkSelector } from "./table-rows.tsx";

interface Options {
  body: RefObject<HTMLElement | null>;
  virtualizer: Virtualizer<HTMLElement, HTMLDivElement>;
  keys: readonly string[];
  onToggle: ((index: number, isRange: boolean) => void) | null;
}

/** The number of frames to wait for a row to be rendered. */
const maxFrames = 20;

/**
 * `j` and `k` (and arrow keys, once inside) move from row to row, Space selects, and Enter follows the link of the row.
 * Returns the key of the row that is the tab stop.
 */
export function useRowKeys(options: Options): string | null {
  const [activeKey, setActiveKey] = useState<string | null>(() => returnPosition()?.focused ?? null);
  const isReady = options.keys.length > 0;
  const latest = useRef(options);
  const active = useRef(activeKey);
  useEffect(() => {
    latest.current = options;
    active.current = activeKey;
  });
  // After opening a row by keyboard and going back, the row has the focus again.
  const [returnedTo] = useState(activeKey);
  useEffect(() => {
    const { body, keys } = latest.current;
    const index = isReady && returnedTo !== null && isFocusLost() ? keys.indexOf(returnedTo) : -1;
    if (index >= 0) focusWhenDrawn(body, index);
  }, [isReady, returnedTo]);
  useEffect(() => {
    const onFocus = (event: FocusEvent) => {
      const index = focusedIndex(latest.current.body);
      const isByKey = event.target instanceof Element && event.target.matches(`${rowLinkSelector}:focus-visible`);
      rememberPosition({ focused: index !== null && isByKey ? (latest.current.keys[index] ?? null) : null });
    };
    addEventListener("focusin", onFocus);
    return () => removeEventListener("focusin", onFocus);
  }, []);
  useEffect(() => {
    const goTo = (index: number) => {
      const { virtualizer, body, keys } = latest.current;
      const key = keys[index];
      if (key === undefined) return;
      setActiveKey(key);
      virtualizer.scrollToIndex(index, { align: "auto" });
      focusWhenDrawn(body, index);
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (
        event.defaultPrevented ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        isTyping(event) ||
        document.querySelector("dialog:modal")
      )
        return;
      const inside = focusedIndex(latest.current.body);
      const step = stepOf(event.key, { isInside: inside !== null, hasSingleKeys: hasSingleKeys() });
      if (step !== 0) {
        event.preventDefault();
        const at = inside ?? latest.current.keys.indexOf(active.current ?? "");
        goTo(at < 0 ? firstInSight(latest.current) : Math.min(latest.current.keys.length - 1, Math.max(0, at + step)));
      } else if (
        event.key === " " &&
        inside !== null &&
        latest.current.onToggle &&
        event.target instanceof HTMLElement &&
        event.target.matches(rowLinkSelector)
      ) {
        event.preventDefault();
        latest.current.onToggle(inside, event.shiftKey);
      }
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
  return activeKey;
}

function stepOf(key: string, { isInside, hasSingleKeys }: { isInside: boolean; hasSingleKeys: boolean }): number {
  if ((hasSingleKeys && key === "j") || (isInside && key === "ArrowDown")) return 1;
  if ((hasSingleKeys && key === "k") || (isInside && key === "ArrowUp")) return -1;
  return 0;
}

function focusedIndex(body: RefObject<HTMLElement | null>): number | null {
  const row = document.activeElement?.closest<HTMLElement>("[role=row][data-index]");
  return row && body.current?.contains(row) ? Number(row.dataset["index"]) : null;
}

function firstInSight({ body, virtualizer }: Options): number {
  const hidden = coveredPx - topInPage(body.current);
  const items = virtualizer.getVirtualItems();
  const first = items.find((item) => item.start - virtualizer.options.scrollMargin >= hidden);
  return first?.index ?? 0;
}

function focusWhenDrawn(body: RefObject<HTMLElement | null>, index: number, frame = 0): void {
  const link = body.current?.querySelector<HTMLElement>(`[data-index="${index}"] ${rowLinkSelector}`);
  if (link) link.focus({ preventScroll: true });
  else if (frame < maxFrames) requestAnimationFrame(() => focusWhenDrawn(body, index, frame + 1));
}
