"use client";

import { useIsHydrated } from "../ui/use-now.ts";

/** Where this service is, as this browser reaches it; empty while the server draws. */
export function useOrigin(): string {
  return useIsHydrated() ? location.origin : "";
}
