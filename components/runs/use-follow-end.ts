"use client";

import { useLayoutEffect, useRef, useState } from "react";

/** So near to the end counts as at the end. */
const nearPx = 32;

/** Keeps the end of what grows in sight, unless one scrolled up; what comes with the very end is followed, too. */
export function useFollowEnd(isGrowing: boolean) {
  const scroller = useRef<HTMLDivElement>(null);
  const lastTop = useRef(0);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const [hasGrown, setHasGrown] = useState(isGrowing);
  if (isGrowing && !hasGrown) setHasGrown(true);
  const isFollowing = hasGrown && isAtEnd;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (isFollowing && element) element.scrollTop = element.scrollHeight;
  });
  return {
    scroller,
    isAtEnd,
    onScroll() {
      const element = scroller.current;
      if (!element) return;
      const distance = element.scrollHeight - element.clientHeight - element.scrollTop;
      // Only scrolling up lets go of the end: what grows below must not.
      if (distance < nearPx) setIsAtEnd(true);
      else if (element.scrollTop < lastTop.current) setIsAtEnd(false);
      lastTop.current = element.scrollTop;
    },
    toEnd: () => setIsAtEnd(true),
  };
}
