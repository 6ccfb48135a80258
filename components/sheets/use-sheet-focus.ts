"use client";

import { type KeyboardEvent, type RefObject, useEffect, useRef } from "react";

/**
 * Takes the focus into the sheet when it opens, and gives it back when it closes. `Esc` closes; in a field it leaves the field
 * first, so that nothing typed is lost by one key.
 */
export function useSheetFocus(onClose: () => void): { heading: RefObject<HTMLHeadingElement | null>; onKeyDown: (event: KeyboardEvent) => void } {
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef<HTMLElement | null>(null);

  useEffect(() => {
    const active = document.activeElement;
    const sheet = heading.current?.closest("aside");
    if (active instanceof HTMLElement && active !== document.body && !sheet?.contains(active)) before.current = active;
    heading.current?.focus({ preventScroll: true });
  }, []);

  useEffect(() => {
    return () => {
      const isLost = document.activeElement === null || document.activeElement === document.body;
      if (isLost && before.current?.isConnected) before.current.focus({ preventScroll: true });
    };
  }, []);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || isInsideOverlay(event)) return;
    event.stopPropagation();
    if (isField(event.target)) heading.current?.focus({ preventScroll: true });
    else onClose();
  };
  return { heading, onKeyDown };
}

/** A dialog or a menu that was opened from the sheet has `Esc` for itself; React's events pass through portals. */
function isInsideOverlay(event: KeyboardEvent): boolean {
  return event.target instanceof Element && event.target.closest("dialog, [role=menu]") !== null;
}

function isField(target: EventTarget): boolean {
  return target instanceof Element && target.matches("textarea, input:not([type=radio], [type=checkbox]), [contenteditable=true]");
}
