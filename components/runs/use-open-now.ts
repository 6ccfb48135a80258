"use client";

import { useEffect, useState } from "react";
import { useNow } from "../ui/use-now.ts";

const tickMs = 250;

/** The current time, updated four times a second while `isOpen`. */
export function useOpenNow(isOpen: boolean): number {
  const second = useNow();
  const [fine, setFine] = useState(0);
  useEffect(() => {
    if (!isOpen) return;
    const timer = setInterval(() => setFine(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, [isOpen]);
  return Math.max(second, fine);
}
