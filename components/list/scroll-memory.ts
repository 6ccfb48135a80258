"use client";

import { useEffect, useLayoutEffect } from "react";

/** How long after "back" a page that is drawn belongs to it. */
const backWithinMs = 3_000;

const places = new Map<string, number>();
let wentBackAt = Number.NEGATIVE_INFINITY;

if (typeof window !== "undefined") addEventListener("popstate", () => (wentBackAt = performance.now()));

const here = () => location.pathname + location.search;

/**
 * Going back to a list finds it where it was left. The browser tries by itself, but too early: the rows are drawn a moment later. `isReady`:
 * the rows are there.
 */
export function useScrollMemory(isReady: boolean): void {
  useLayoutEffect(() => {
    if (!isReady || performance.now() - wentBackAt > backWithinMs) return;
    const top = places.get(here());
    wentBackAt = Number.NEGATIVE_INFINITY;
    if (top !== undefined && top > 0) scrollTo({ top });
  }, [isReady]);
  useEffect(() => {
    const remember = () => places.set(here(), scrollY);
    addEventListener("scroll", remember, { passive: true });
    return () => removeEventListener("scroll", remember);
  }, []);
}
