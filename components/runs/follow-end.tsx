"use client";

import { ArrowDown } from "lucide-react";
import { useLayoutEffect, useRef, useState } from "react";
import { Button } from "../ui/controls/button.tsx";

/** Positions this near to the end count as the end. */
const nearPx = 32;

/** Shown over the lower edge of growing content after the reader scrolled up. */
export function FollowEndButton({ onClick }: { onClick: () => void }) {
  return (
    <div className="absolute inset-x-0 bottom-3 flex justify-center">
      <Button size="s" icon={ArrowDown} onClick={onClick} className="shadow-raised">
        Follow the end
      </Button>
    </div>
  );
}

/** Keeps the end of growing content in sight, unless the reader scrolled up. Also follows the last change. */
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
      // Only scrolling up stops following, not growing content.
      if (distance < nearPx) setIsAtEnd(true);
      else if (element.scrollTop < lastTop.current) setIsAtEnd(false);
      lastTop.current = element.scrollTop;
    },
    toEnd: () => setIsAtEnd(true),
  };
}
