"use client";

import { type RefObject, useEffect, useRef, useState } from "react";
import { returnPlace } from "./scroll-memory.ts";

/** For so long after the pointer moved over a row, somebody is about to click it. */
const aimingMs = 2_000;

/** The first row may be hidden by so much and still count as in sight. */
const slackPx = 4;

/** What the page's frame and the table's own head cover at the top of the window. */
export const coveredPx = 48 + 34;

/**
 * Whether somebody reads the rows just now (has scrolled into them, points at one, or has the focus in one), so that
 * nothing may move. `shownKeys`: those of the rows on top when the reading began; `null` while nobody reads.
 */
export function useReading(body: RefObject<HTMLElement | null>, topKeys: () => readonly string[]) {
  const [shownKeys, setShownKeys] = useState<readonly string[] | null>(() => {
    const place = returnPlace();
    return place && place.top > 0 ? place.shownKeys : null;
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
    const onScroll = () => {
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const isScrolled = scrollY > slackPx && top < coveredPx - slackPx;
      if (isScrolled !== state.current.isScrolled) change({ isScrolled });
    };
    addEventListener("scroll", onScroll, { passive: true });
    // Who comes back is not there yet: the scrolling follows.
    if (!state.current.isScrolled) onScroll();
    return () => {
      removeEventListener("scroll", onScroll);
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
  /** The reader asks for what is new. */
  const catchUp = () => {
    setShownKeys(null);
    scrollTo({ top: 0 });
  };
  return { shownKeys, handlers, catchUp };
}
