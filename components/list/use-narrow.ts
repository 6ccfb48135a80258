"use client";

import { useMediaQuery } from "../ui/use-media-query.ts";

/** Whether the window is too narrow for tables; `false` on the server. */
export function useNarrow(): boolean {
  return useMediaQuery("(width < 768px)", false);
}
