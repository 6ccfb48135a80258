"use client";

import { usePathname } from "next/navigation";
import { useEffect, useRef } from "react";
import { keepFocus } from "../ui/keep-focus.ts";

/** Another page has the focus in its content: the link that led there is gone. */
export function useRouteFocus(): void {
  const path = usePathname();
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    keepFocus();
  }, [path]);
}
