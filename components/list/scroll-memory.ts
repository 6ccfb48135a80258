"use client";

import { useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";

/** The scroll position of a list, and the rows on top: newer ones had not been shown. */
interface Position {
  top: number;
  shownKeys: readonly string[] | null;
  /** The row with the keyboard focus. */
  focused: string | null;
}

/** The time after "back" in which a rendered page belongs to it. */
const backWithinMs = 3_000;

/** The maximum position that is restored. */
const maxRestoredPx = 22_000;

const storageKey = "signalbox.list-place";
const positions = new Map<string, Position>();
let wentBackAt = Number.NEGATIVE_INFINITY;
let reloaded: Position | null = null;

const here = () => location.pathname + location.search;

if (typeof window !== "undefined") {
  // Before the router handles it, which renders the page at once.
  addEventListener("popstate", () => (wentBackAt = performance.now()), { capture: true });
  addEventListener("pagehide", () => keepForReload());
  reloaded = readAfterReload();
}

/** The position to restore after "back" or a reload; `null`: a new visit. */
export function returnPosition(): Position | null {
  if (typeof window === "undefined") return null;
  if (performance.now() - wentBackAt <= backWithinMs) return positions.get(here()) ?? null;
  return reloaded;
}

interface Options {
  /** The rows are loaded. */
  isReady: boolean;
  shownKeys: readonly string[] | null;
  /** There are older rows to load. */
  hasMore: boolean;
}

/**
 * Restores the scroll position after "back" and after a reload. The browser restores it too early: the rows are
 * rendered later, and older pages are loaded when the reader scrolls near them.
 */
export function useScrollMemory({ isReady, shownKeys, hasMore }: Options): void {
  const wanted = useRef<number | null>(null);
  useLayoutEffect(() => {
    const position = isReady ? returnPosition() : null;
    if (!position) return;
    wentBackAt = Number.NEGATIVE_INFINITY;
    reloaded = null;
    if (position.top > 0) wanted.current = Math.min(position.top, maxRestoredPx);
  }, [isReady]);
  useLayoutEffect(() => {
    const top = wanted.current;
    if (top === null) return;
    scrollTo({ top });
    if (scrollY >= top - 1 || !hasMore) wanted.current = null;
  });
  useEffect(() => {
    // Any input of the reader stops the restoring.
    const stop = () => (wanted.current = null);
    const moves = ["wheel", "touchstart", "pointerdown", "keydown"] as const;
    for (const move of moves) addEventListener(move, stop, { passive: true });
    return () => {
      for (const move of moves) removeEventListener(move, stop);
    };
  }, []);

  const remember = useEffectEvent(() => {
    positions.set(here(), { focused: positions.get(here())?.focused ?? null, top: scrollY, shownKeys });
  });
  useEffect(() => {
    const onScroll = () => remember();
    addEventListener("scroll", onScroll, { passive: true });
    return () => removeEventListener("scroll", onScroll);
  }, []);
  // The rows that wait above are known shortly after the scrolling started.
  useEffect(() => {
    if (shownKeys) remember();
  }, [shownKeys]);
}

/** Stores the row with the keyboard focus; `null`: no row. */
export function rememberFocus(focused: string | null): void {
  positions.set(here(), { top: scrollY, shownKeys: null, ...positions.get(here()), focused });
}

/** Rows that waited above are not stored: after a reload, the list starts with the newest row. */
function keepForReload(): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify({ at: here(), top: scrollY }));
  } catch {
    // Without storage, a reload starts at the top.
  }
}

function readAfterReload(): Position | null {
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
