"use client";

import { usePathname } from "next/navigation";
import { useEffect, useRef } from "react";
import { keepFocus } from "../ui/keep-focus.ts";

/** Moves the focus to the content after navigation, because the clicked link is gone. */
export function useRouteFocus(): void {
  const path = usePathname();
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    keepFocus();
  }, [path]);
}
