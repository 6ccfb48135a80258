"use client";

import { useEffect, useState } from "react";
import { useNow } from "../ui/use-now.ts";

const tickMs = 250;

/** The time for what grows before one's eyes: four times a second while `isOpen`, else it stands still. */
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
