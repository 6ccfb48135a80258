"use client";

import { useMediaQuery } from "../ui/use-media-query.ts";

/** Whether the window is wide enough for the canvas; `null` before hydration. */
export function useWide(): boolean | null {
  return useMediaQuery("(width >= 768px)", null);
}
