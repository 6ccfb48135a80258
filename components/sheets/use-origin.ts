"use client";

import { useIsHydrated } from "../ui/use-now.ts";

/** The origin of this service as seen by the browser; empty during server rendering. */
export function useOrigin(): string {
  return useIsHydrated() ? location.origin : "";
}
