"use client";

import { type KeyboardEvent, type RefObject, useEffect, useEffectEvent, useRef } from "react";
import { isFocusLost, isNowhere, keepFocus } from "../ui/keep-focus.ts";
import type { SheetNode } from "./sheet-node.ts";

/**
 * Moves the focus into the sheet when it opens, and back when it closes. `Esc` closes the sheet. In a field, the first
 * `Esc` only leaves the field, so that no input is lost.
 */
export function useSheetFocus(
  node: SheetNode,
  onClose: () => void,
): { heading: RefObject<HTMLHeadingElement | null>; onKeyDown: (event: KeyboardEvent) => void } {
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef<HTMLElement | null>(null);
  const { kind, id } = node;

  useEffect(() => {
    const active = document.activeElement;
    const sheet = heading.current?.closest("aside");
    if (active instanceof HTMLElement && !isNowhere(active) && !sheet?.contains(active)) before.current = active;
    heading.current?.focus({ preventScroll: true });
  }, []);

  useEffect(() => {
    return () => {
      if (!isFocusLost()) return;
      // After opening by a link, nothing had the focus before: focus the node itself.
      const origin = before.current?.isConnected ? before.current : nodeLink(`${kind}:${id}`);
      origin?.focus({ preventScroll: true });
      keepFocus();
    };
  }, [kind, id]);

  // After a click on the canvas background nothing has the focus. Esc still closes the sheet.
  const closeFromNowhere = useEffectEvent(onClose);
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent) => {
      if (
        event.key === "Escape" &&
        isNowhere(event.target) &&
        !event.defaultPrevented &&
        !document.querySelector("dialog:modal")
      )
        closeFromNowhere();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || isInsideOverlay(event)) return;
    event.stopPropagation();
    if (isField(event.target)) heading.current?.focus({ preventScroll: true });
    else onClose();
  };
  return { heading, onKeyDown };
}

/** The node's link on the canvas, if rendered. */
function nodeLink(node: string): HTMLElement | null {
  return document.querySelector(`[data-node=${CSS.escape(node)}] a[data-node-link]`);
}

/** Dialogs and menus opened from the sheet handle `Esc` themselves. React events bubble through portals. */
function isInsideOverlay(event: KeyboardEvent): boolean {
  return event.target instanceof Element && event.target.closest("dialog, [role=menu]") !== null;
}

function isField(target: EventTarget): boolean {
  return (
    target instanceof Element &&
    target.matches("textarea, input:not([type=radio], [type=checkbox]), [contenteditable=true]")
  );
}
