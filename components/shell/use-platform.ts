"use client";

import { useSyncExternalStore } from "react";

/** How the key is called that goes with letters to make a command; `null` until the browser has taken over. */
export function useModKey(): "⌘" | "Ctrl" | null {
  return useSyncExternalStore(
    () => () => {},
    () => (/mac|iphone|ipad/i.test(navigator.platform) ? "⌘" : "Ctrl"),
    () => null,
  );
}
