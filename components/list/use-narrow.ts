"use client";

import { useSyncExternalStore } from "react";

const query = "(width < 768px)";

/** Whether the window is too narrow for tables; on the server it is not. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    () => matchMedia(query).matches,
    () => false,
  );
}
