"use client";

import { useSyncExternalStore } from "react";

/** Whether the window matches a media query; `before` on the server and before hydration. */
export function useMediaQuery<Before extends boolean | null>(query: string, before: Before): boolean | Before {
  return useSyncExternalStore<boolean | Before>(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    () => matchMedia(query).matches,
    () => before,
  );
}
