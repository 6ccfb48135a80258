"use client";

import { useReactFlow, type Viewport } from "@xyflow/react";
import { useEffect, useLayoutEffect, useRef } from "react";

/** When something comes to lie on the lower edge of the window on a first visit, the nodes make room for it. `start`: where to look; `null`: the person has looked around here before. */
export function useClearOf(covered: number, start: ((covered: number) => Viewport) | null): void {
  const { setViewport } = useReactFlow();
  const now = useRef(start);
  useLayoutEffect(() => {
    now.current = start;
  });
  useEffect(() => {
    if (covered > 0 && now.current) void setViewport(now.current(covered));
  }, [covered, setViewport]);
}
