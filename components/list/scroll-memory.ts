"use client";

import { useEffect, useEffectEvent, useLayoutEffect } from "react";

/** Where somebody stood in a list, and which rows were on top for them: newer ones had not been shown. */
interface Place {
  top: number;
  shownKeys: readonly string[] | null;
}

/** How long after "back" a page that is drawn belongs to it. */
const backWithinMs = 3_000;

const places = new Map<string, Place>();
let wentBackAt = Number.NEGATIVE_INFINITY;

// Before the router hears of it: it draws the page at once.
if (typeof window !== "undefined") addEventListener("popstate", () => (wentBackAt = performance.now()), { capture: true });

const here = () => location.pathname + location.search;

/** The place that somebody comes back to who has just gone back; `null` for all others. */
export function returnPlace(): Place | null {
  if (typeof window === "undefined" || performance.now() - wentBackAt > backWithinMs) return null;
  const place = places.get(here());
  return place && place.top > 0 ? place : null;
}

/**
 * Going back to a list finds it where it was left. The browser tries by itself, but too early: the rows are drawn a moment later. `isReady`:
 * the rows are there.
 */
export function useScrollMemory({ isReady, shownKeys }: { isReady: boolean; shownKeys: readonly string[] | null }): void {
  useLayoutEffect(() => {
    const place = isReady ? returnPlace() : null;
    if (!place) return;
    wentBackAt = Number.NEGATIVE_INFINITY;
    scrollTo({ top: place.top });
  }, [isReady]);
  const remember = useEffectEvent(() => {
    places.set(here(), { top: scrollY, shownKeys });
  });
  useEffect(() => {
    const onScroll = () => remember();
    addEventListener("scroll", onScroll, { passive: true });
    return () => removeEventListener("scroll", onScroll);
  }, []);
  // Which rows wait above is known a moment after the scrolling began.
  useEffect(() => {
    if (shownKeys) remember();
  }, [shownKeys]);
}
