"use client";

import { useEffect, useState } from "react";

/** A tab that is hidden for longer gives its connection back: a browser has only six for all tabs. */
const patienceMs = 20_000;

/** Whether the tab is in sight, or was a moment ago. */
export function useShown(): boolean {
  const [isShown, setIsShown] = useState(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const update = () => {
      clearTimeout(timer);
      if (document.visibilityState === "visible") setIsShown(true);
      else timer = setTimeout(() => setIsShown(false), patienceMs);
    };
    document.addEventListener("visibilitychange", update);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", update);
    };
  }, []);
  return isShown;
}
