"use client";

import { useSyncExternalStore } from "react";

/** The name of the shortcut modifier key; `null` before hydration. */
export function useModKey(): "⌘" | "Ctrl" | null {
  return useSyncExternalStore(
    () => () => {},
    () => (/mac|iphone|ipad/i.test(navigator.platform) ? "⌘" : "Ctrl"),
    () => null,
  );
}
