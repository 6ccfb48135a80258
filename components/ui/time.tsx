"use client";

import { createContext, useContext, useSyncExternalStore } from "react";
import { useIsHydrated } from "./browser.ts";
import {
  formatAxisTime,
  formatDuration,
  formatLocal,
  formatLocalTime,
  formatRelativeTime,
  formatUtc,
} from "../../server/shared/format.ts";

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

/** A relative time, with the exact UTC and local time on hover. */
export function RelativeTime({ iso }: { iso: string }) {
  const now = useNow();
  const isHydrated = useIsHydrated();
  const exact = isHydrated ? `${formatUtc(iso)}\n${formatLocal(iso)}` : formatUtc(iso);
  return (
    <time dateTime={iso} title={exact} className="whitespace-nowrap tabular-nums">
      {formatRelativeTime(iso, now)}
    </time>
  );
}

const dayMs = 86_400_000;

/** A time in the future: `06:07:35, in 10 s`; with the date, if it is more than a day ahead. */
export function UpcomingTime({ iso }: { iso: string }) {
  const now = useNow();
  const timeZone = useIsHydrated() ? undefined : "UTC";
  const at = Date.parse(iso);
  const time = at - now > dayMs ? formatAxisTime(iso, { spansDays: true, timeZone }) : formatLocalTime(at, timeZone);
  return (
    <time dateTime={iso} title={formatUtc(iso)} className="tabular-nums">
      {time}, {at > now ? formatRelativeTime(iso, now) : "due now"}
    </time>
  );
}

/** The duration from start to end. Without an end: the time elapsed so far. */
export function Elapsed({ from, to }: { from: string | null; to: string | null }) {
  const now = useNow();
  if (from === null) return <span className="text-ink-3">–</span>;
  const ms = (to === null ? Math.floor(now / 1000) * 1000 : Date.parse(to)) - Date.parse(from);
  return <span className="whitespace-nowrap tabular-nums">{formatDuration(ms)}</span>;
}
