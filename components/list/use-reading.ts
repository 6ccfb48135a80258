"use client";

import { type RefObject, useEffect, useRef, useState } from "react";
import { pageScroller, returnPosition, topInPage } from "../ui/page-scroll.tsx";

/** After a pointer movement over a row, a click is expected for this time. */
const aimingMs = 2_000;

/** The first row counts as visible if at most this much of it is hidden. */
const slackPx = 4;

/** The height of the table header at the top of the page. */
export const coveredPx = 34;

/**
 * Detects that the rows are being read (scrolled, pointed at, or focused), so that they must not move. `shownKeys`: the
 * keys of the rows on top when the reading started; `null`: not reading.
 */
export function useReading(body: RefObject<HTMLElement | null>, topKeys: () => readonly string[]) {
  const [shownKeys, setShownKeys] = useState<readonly string[] | null>(() => {
    const position = returnPosition();
    return position && position.top > 0 ? position.shownKeys : null;
  });
  const state = useRef({ isScrolled: shownKeys !== null, isAiming: false, hasFocus: false });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const keys = useRef(topKeys);
  useEffect(() => {
    keys.current = topKeys;
  });

  const [change] = useState(() => (part: Partial<typeof state.current>) => {
    const now = Object.assign(state.current, part);
    const isReading = now.isScrolled || now.isAiming || now.hasFocus;
    setShownKeys((shown) => (isReading ? (shown ?? keys.current()) : null));
  });
  useEffect(() => {
    const scroller = pageScroller();
    const onScroll = () => {
      const isScrolled = (scroller?.scrollTop ?? 0) > slackPx && topInPage(body.current) < coveredPx - slackPx;
      if (isScrolled !== state.current.isScrolled) change({ isScrolled });
    };
    scroller?.addEventListener("scroll", onScroll, { passive: true });
    // After "back", the position is restored later.
    if (!state.current.isScrolled) onScroll();
    return () => {
      scroller?.removeEventListener("scroll", onScroll);
      clearTimeout(timer.current);
    };
  }, [body, change]);

  const handlers = {
    onPointerMove: () => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => change({ isAiming: false }), aimingMs);
      if (!state.current.isAiming) change({ isAiming: true });
    },
    onPointerLeave: () => {
      clearTimeout(timer.current);
      if (state.current.isAiming) change({ isAiming: false });
    },
    onFocus: () => change({ hasFocus: true }),
    onBlur: () => change({ hasFocus: false }),
  };
  /** Shows the new rows. */
  const catchUp = () => {
    setShownKeys(null);
    pageScroller()?.scrollTo({ top: 0 });
  };
  return { shownKeys, handlers, catchUp };
}

const none: ReadonlySet<string> = new Set();

/** The rows that were just added on top. A replaced list (another filter) has none. */
export function useArrivals(keys: readonly string[]): ReadonlySet<string> {
  const top = keys[0];
  const [state, setState] = useState({ top, arrived: none });
  if (top === state.top) return state.arrived;
  const index = state.top === undefined ? -1 : keys.indexOf(state.top);
  const next = { top, arrived: index > 0 ? new Set(keys.slice(0, index)) : none };
  setState(next);
  return next.arrived;
}
