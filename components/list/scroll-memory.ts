"use client";

import { useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";

/** Where somebody stood in a list, and which rows were on top for them: newer ones had not been shown. */
interface Place {
  top: number;
  shownKeys: readonly string[] | null;
  /** The row that had the keyboard's focus. */
  focused: string | null;
}

/** How long after "back" a page that is drawn belongs to it. */
const backWithinMs = 3_000;

/** So deep a list is read again after a reload; from there on one scrolls. */
const deepestPx = 22_000;

const storageKey = "signalbox.list-place";
const places = new Map<string, Place>();
let wentBackAt = Number.NEGATIVE_INFINITY;
let reloaded: Place | null = null;

const here = () => location.pathname + location.search;

if (typeof window !== "undefined") {
  // Before the router hears of it: it draws the page at once.
  addEventListener("popstate", () => (wentBackAt = performance.now()), { capture: true });
  addEventListener("pagehide", () => keepForReload());
  reloaded = readAfterReload();
}

/** The place that somebody comes back to who has just gone back, or read the page again; `null` for all others. */
export function returnPlace(): Place | null {
  if (typeof window === "undefined") return null;
  if (performance.now() - wentBackAt <= backWithinMs) return places.get(here()) ?? null;
  return reloaded;
}

interface Options {
  /** The rows are there. */
  isReady: boolean;
  shownKeys: readonly string[] | null;
  /** There are deeper rows than those that are known. */
  hasMore: boolean;
}

/**
 * Going back to a list, or reading its page again, finds it where it was left. The browser tries by itself, but too
 * early: the rows are drawn a moment later, and those of deeper pages when one comes near them.
 */
export function useScrollMemory({ isReady, shownKeys, hasMore }: Options): void {
  const wanted = useRef<number | null>(null);
  useLayoutEffect(() => {
    const place = isReady ? returnPlace() : null;
    if (!place) return;
    wentBackAt = Number.NEGATIVE_INFINITY;
    reloaded = null;
    if (place.top > 0) wanted.current = Math.min(place.top, deepestPx);
  }, [isReady]);
  useLayoutEffect(() => {
    const top = wanted.current;
    if (top === null) return;
    scrollTo({ top });
    if (scrollY >= top - 1 || !hasMore) wanted.current = null;
  });
  useEffect(() => {
    // Whoever moves by hand is not moved any more.
    const stop = () => (wanted.current = null);
    const moves = ["wheel", "touchstart", "pointerdown", "keydown"] as const;
    for (const move of moves) addEventListener(move, stop, { passive: true });
    return () => {
      for (const move of moves) removeEventListener(move, stop);
    };
  }, []);

  const remember = useEffectEvent(() => {
    places.set(here(), { focused: places.get(here())?.focused ?? null, top: scrollY, shownKeys });
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

/** A row has the keyboard's focus, or none has it any more. */
export function rememberFocus(focused: string | null): void {
  places.set(here(), { top: scrollY, shownKeys: null, ...places.get(here()), focused });
}

/** Which rows waited above is not kept: a page that is read again begins with the newest. */
function keepForReload(): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify({ at: here(), top: scrollY }));
  } catch {
    // Without storage a reload begins at the top.
  }
}

function readAfterReload(): Place | null {
  try {
    const [entry] = performance.getEntriesByType("navigation");
    const isAgain =
      entry instanceof PerformanceNavigationTiming && (entry.type === "reload" || entry.type === "back_forward");
    const kept: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? "null");
    if (!isAgain || typeof kept !== "object" || kept === null) return null;
    const { at, top } = Object.assign({ at: null, top: null }, kept);
    return at === here() && typeof top === "number" && top > 0 ? { top, shownKeys: null, focused: null } : null;
  } catch {
    return null;
  }
}
