"use client";

import { useMediaQuery } from "../ui/use-media-query.ts";

/** Whether the window has room for the canvas; `null` until the browser says. */
export function useWide(): boolean | null {
  return useMediaQuery("(width >= 768px)", null);
}
