"use client";

import { useEffect, useState } from "react";

/** A tab that is hidden for longer closes its connection: a browser has only six for all tabs. */
const hiddenAfterMs = 20_000;

/** Whether the tab is visible, or was visible shortly before. */
export function useShown(): boolean {
  const [isShown, setIsShown] = useState(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const update = () => {
      clearTimeout(timer);
      if (document.visibilityState === "visible") setIsShown(true);
      else timer = setTimeout(() => setIsShown(false), hiddenAfterMs);
    };
    document.addEventListener("visibilitychange", update);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", update);
    };
  }, []);
  return isShown;
}
