"use client";

import { useSyncExternalStore } from "react";

const query = "(width >= 768px)";

/** Whether the window has room for the canvas; `null` until the browser says. */
export function useWide(): boolean | null {
  return useSyncExternalStore<boolean | null>(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    () => matchMedia(query).matches,
    () => null,
  );
}
