"use client";

import { type ReactNode, useLayoutEffect, useRef, useState } from "react";

/** The scrolling part of a dialog. If it overflows, Tab can focus it, so that the arrow keys scroll it. */
export function ScrollBody({ labelledBy, children }: { labelledBy: string; children: ReactNode }) {
  const outer = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const [isLong, setIsLong] = useState(false);
  useLayoutEffect(() => {
    const measure = () => setIsLong(outer.current !== null && outer.current.scrollHeight > outer.current.clientHeight);
    const observer = new ResizeObserver(measure);
    for (const { current } of [outer, inner]) if (current) observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return (
    <div
      ref={outer}
      {...(isLong && { tabIndex: 0, role: "region", "aria-labelledby": labelledBy })}
      className="min-h-0 overflow-auto px-4 py-4 -outline-offset-2"
    >
      <div ref={inner}>{children}</div>
    </div>
  );
}
