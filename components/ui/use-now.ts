"use client";

import { createContext, useContext, useSyncExternalStore } from "react";

/** When the server rendered the page. The first render in the browser uses the same time, so that hydration matches. */
export const RenderedAt = createContext(0);

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = 0;

/** The current time, updated every second. All components share one timer. */
export function useNow(): number {
  const renderedAt = useContext(RenderedAt);
  return useSyncExternalStore(subscribe, readClock, () => renderedAt);
}

/** Whether the page is hydrated. */
export function useIsHydrated(): boolean {
  return useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
}

function readClock(): number {
  if (now === 0) now = Date.now();
  return now;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    now = 0;
  };
}

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}
