"use client";

import { useEffect, useSyncExternalStore } from "react";

/** Whether the page is hydrated. */
export function useIsHydrated(): boolean {
  return useBrowserValue(() => true, false);
}

/** The origin of this service as seen by the browser; empty before hydration. */
export function useOrigin(): string {
  return useBrowserValue(() => location.origin, "");
}

/** The name of the shortcut modifier key; `null` before hydration. */
export function useModKey(): "⌘" | "Ctrl" | null {
  return useBrowserValue(() => (/mac|iphone|ipad/i.test(navigator.platform) ? "⌘" : "Ctrl"), null);
}

/** The title of the browser's tab, while it changes without a navigation. */
export function useTabTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Signalbox`;
  }, [title]);
}

const wide = "(width >= 768px)";

/** Whether the window is wide enough for tables and the canvas; `before` is used before hydration. */
export function useIsWide<Before extends boolean | null>(before: Before): boolean | Before {
  return useSyncExternalStore<boolean | Before>(
    watchWidth,
    () => matchMedia(wide).matches,
    () => before,
  );
}

function watchWidth(listener: () => void): () => void {
  const list = matchMedia(wide);
  list.addEventListener("change", listener);
  return () => list.removeEventListener("change", listener);
}

/** Whether the reader has asked the system for less motion. */
export function prefersReducedMotion(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** A value of the browser that does not change; `before` is used on the server and before hydration. */
function useBrowserValue<Value, Before>(read: () => Value, before: Before): Value | Before {
  return useSyncExternalStore<Value | Before>(
    () => () => {},
    read,
    () => before,
  );
}
